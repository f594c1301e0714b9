import type { KeyPowers, Scope } from '../accounts/scopes.ts';
import type { Plan } from '../accounts/account.ts';

/*
 * What the REST interface answers of an account. Times are ISO 8601 in UTC with milliseconds.
 */

/** Credits of the present period, whose end is not included. */
export interface CreditsRepresentation {
  /** Left, after reservations for running work */
  remainingCreditsThisPeriod: number;
  usedCreditsThisPeriod: number;
  /** Set aside for work that is accepted and not finished */
  reservedCreditsThisPeriod: number;
  periodStart: string;
  periodEnd: string;
}

export type { LedgerEntry as LedgerEntryRepresentation } from '../accounts/credits.ts';

export type { AuditEntry as AuditEntryRepresentation } from '../accounts/audit.ts';

export interface SettingsRepresentation {
  /** Days that new uploads are kept */
  uploadRetentionDays: number;
}

export interface ApiKeyRepresentation extends KeyPowers {
  id: string;
  name: string;
  /** The first characters of the key */
  prefix: string;
  createdAt: string;
  /** To the minute; null when it has not been used */
  lastUsedAt: string | null;
  /** IP address of the last use */
  lastUsedAddress: string | null;
}

export interface ApiKeyWithSecretRepresentation extends ApiKeyRepresentation {
  /** The key itself; null when an equal request has made it before */
  key: string | null;
}

/** A session of the operator at the dashboard, and the instance that serves it. */
export interface OperatorSessionRepresentation extends Pick<
  SessionRepresentation,
  'version' | 'engineVersion' | 'sandbox' | 'temporalUi'
> {
  operator: true;
}

/** A session of the dashboard, and the instance that serves it. */
export interface SessionRepresentation {
  account: { name: string; plan: string };
  plan: Pick<Plan, 'name' | 'maxResolution'>;
  /** The API key that the session stands on, and ends with */
  key: { id: string; name: string; scopes: Scope[] };
  version: string;
  engineVersion: string;
  /** What holds the decoders */
  sandbox: string;
  /** Where operators look at workflows; null where nobody said */
  temporalUi: { url: string; namespace: string } | null;
}
