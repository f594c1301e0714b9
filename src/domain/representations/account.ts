import type { KeyPowers, Scope } from '../accounts/scopes.ts';
import type { TemporalUi } from '../temporal/web-ui.ts';
import type { Plan } from '../accounts/account.ts';

/* REST representations of an account. Times are ISO 8601 in UTC with milliseconds. */

/** Credits of the current period, whose end is exclusive. */
export interface CreditsRepresentation {
  /** Remaining after reservations for running work */
  remainingCreditsThisPeriod: number;
  usedCreditsThisPeriod: number;
  /** Reserved for accepted and unfinished work */
  reservedCreditsThisPeriod: number;
  periodStart: string;
  periodEnd: string;
}

export type { LedgerLine as LedgerLineRepresentation } from '../accounts/credits.ts';

export type { AuditEntry as AuditEntryRepresentation } from '../accounts/audit.ts';

export interface SettingsRepresentation {
  /** Retention of new uploads in days */
  uploadRetentionDays: number;
}

export interface ApiKeyRepresentation extends KeyPowers {
  id: string;
  name: string;
  prefix: string;
  createdAt: string;
  /** Precise to the minute; null for an unused key */
  lastUsedAt: string | null;
  /** IP address of the last use */
  lastUsedAddress: string | null;
  /** Burnish created the key for itself */
  internal: boolean;
  /** Its work is free and separate from the account's own */
  test: boolean;
}

export interface ApiKeyWithSecretRepresentation extends ApiKeyRepresentation {
  /** The key itself; null when an identical earlier request created it */
  key: string | null;
}

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
