import { counted } from '../counted.ts';
import { Failure } from '../failures.ts';
import type { ImageParameters } from '../enhancement/parameters.ts';
import type { Plan } from './plans.ts';

/** A tier that enlarges; `AUTO` chooses among those that an account may use. */
export type AccountTier = Exclude<ImageParameters['engineTier'], 'AUTO'>;

/** What the operator has set for one account; null leaves it to the plan or to the instance. */
export interface AccountLimits {
  /** Credits granted at the start of each calendar month; null: those of the plan */
  creditsPerPeriod: number | null;
  /** Requests a minute at each gateway; null: those of the plan */
  requestsPerMinute: number | null;
  /** Enhancements that may wait or run at the same time; null: those of the plan */
  jobsAtOnce: number | null;
  /** Shortest and longest retention that the account may choose, days */
  minRetentionDays: number;
  maxRetentionDays: number;
  /** Null: every tier */
  allowedTiers: AccountTier[] | null;
}

export interface Account extends AccountLimits {
  id: string;
  name: string;
  /** Id of its plan */
  plan: string;
  /** Days that new uploads are kept, 1 to 365 */
  retentionDays: number;
  /** Signs deliveries to the address that an upload brought along; `whsec_…` */
  webhookSecret: string;
  createdAt: string;
  /** Since when the account is refused; null while it is good */
  suspendedAt: string | null;
  /** When its deletion was ordered; null while it exists */
  deletedAt: string | null;
}

/** API keys an account may have: more than environments and teams need, and few enough to show at once. */
export const MAX_API_KEYS = 100;

/** Days (docs/contract.md). */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;

/** Requests a minute of an account. */
export const requestsPerMinuteOf = (account: AccountLimits, plan: Plan): number =>
  account.requestsPerMinute ?? plan.requestsPerMinute;

/** Enhancements of an account that may wait or run at the same time. */
export const jobsAtOnceOf = (account: AccountLimits, plan: Plan): number => account.jobsAtOnce ?? plan.jobsAtOnce;

/** @throws Failure BAD_USER_INPUT when no retention lies within the bounds */
export function assertRetentionBounds({
  minRetentionDays: min,
  maxRetentionDays: max,
}: Pick<AccountLimits, 'minRetentionDays' | 'maxRetentionDays'>): void {
  if (min <= max) return;
  const detail = `The shortest retention, ${counted(min, 'day')}, is over the longest, ${counted(max, 'day')}.`;
  throw new Failure('BAD_USER_INPUT', { field: 'minRetentionDays', detail });
}

/** What stays of a deleted account besides its ledger and its audit log. */
export interface AccountReceipt {
  /** When the deletion was ordered, ISO 8601 */
  orderedAt: string;
  /** When the last file was gone, ISO 8601; null while files are being deleted */
  finishedAt: string | null;
  uploads: number;
  /** Results of enhancements */
  results: number;
  /** Bytes of originals and results */
  bytes: number;
  apiKeys: number;
  webhookEndpoints: number;
}

/** From the most thorough to the quickest. */
export const ACCOUNT_TIERS = ['FINE', 'FAST', 'PLAIN'] as const satisfies readonly AccountTier[];

/** @throws Failure BAD_USER_INPUT when the account may not use a tier that it names */
export function assertTierAllowed(
  { allowedTiers }: Pick<AccountLimits, 'allowedTiers'>,
  tier: ImageParameters['engineTier'] | undefined,
): void {
  if (allowedTiers === null || tier === undefined || tier === 'AUTO' || allowedTiers.includes(tier)) return;
  const detail = `This account may not use the tier ${tier}. Choose AUTO or ${allowedTiers.join(', ')}.`;
  throw new Failure('BAD_USER_INPUT', { field: 'engineTier', detail });
}

/** The tier that `AUTO` means for an account; undefined where the engine may choose the best that there is. */
export function autoTierOf({ allowedTiers }: Pick<AccountLimits, 'allowedTiers'>): AccountTier | undefined {
  if (allowedTiers === null || allowedTiers.includes('FINE')) return undefined;
  return ACCOUNT_TIERS.find((tier) => allowedTiers.includes(tier));
}
