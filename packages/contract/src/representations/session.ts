import type { Plan } from '../accounts/account.ts';
import type { Scope } from '../accounts/scopes.ts';
import type { TemporalUi } from '../web-ui.ts';

/** A session of the operator at the dashboard, and the instance that serves it. */
export interface OperatorSessionRepresentation extends Pick<
  SessionRepresentation,
  'version' | 'engineVersion' | 'sandbox' | 'sandboxMissing' | 'temporalUi'
> {
  operator: true;
}

export interface SessionRepresentation {
  account: { name: string; plan: string };
  plan: Pick<Plan, 'name' | 'maxResolution'>;
  /** The API key of the session. The session ends with the key */
  key: { id: string; name: string; scopes: Scope[] };
  version: string;
  engineVersion: string;
  /** Isolation of the decoders */
  sandbox: string;
  /** Sentence about what the decoders lack, and its remedy, for operators; null with the strongest sandbox */
  sandboxMissing: string | null;
  /** The Temporal Web UI; null for a session that may not read workflows, and without configuration */
  temporalUi: TemporalUi | null;
}
