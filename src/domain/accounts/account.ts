import { counted } from '../counted.ts';
import { Failure } from '../failures.ts';

/** A plan as the operator keeps it. Plans are rows of a table: a change holds from the next request on. */
export interface Plan {
  /** Such as `BUSINESS` */
  id: string;
  /** For people */
  name: string;
  /** Highest resolution of PDF images, DPI */
  maxResolution: number;
  /** Credits that an account gets each calendar month, unless it has a number of its own */
  creditsPerPeriod: number;
  /** Requests a minute of one account at each gateway, unless it has a number of its own */
  requestsPerMinute: number;
  /** Enhancements of one account that may wait or run at the same time, unless it has a number of its own */
  jobsAtOnce: number;
  /** Share of a full queue: an account with weight 4 gets four tasks for one of an account with weight 1 */
  fairnessWeight: number;
}

/** The plans that a new instance has. */
export const SEED_PLANS = {
  FREE: {
    name: 'Free',
    maxResolution: 300,
    creditsPerPeriod: 1000,
    requestsPerMinute: 6000,
    jobsAtOnce: 2000,
    fairnessWeight: 1,
  },
  BASIC: {
    name: 'Basic',
    maxResolution: 600,
    creditsPerPeriod: 10_000,
    requestsPerMinute: 12_000,
    jobsAtOnce: 5000,
    fairnessWeight: 2,
  },
  BUSINESS: {
    name: 'Business',
    maxResolution: 1200,
    creditsPerPeriod: 100_000,
    requestsPerMinute: 24_000,
    jobsAtOnce: 20_000,
    fairnessWeight: 4,
  },
} as const satisfies Record<string, Omit<Plan, 'id'>>;

/** Form of a plan's id. */
export const PLAN_ID = /^[A-Z][A-Z0-9_]{0,31}$/;

/** Bounds of each number of a plan; the contract has no resolution above 1,200 DPI. */
export const PLAN_BOUNDS = {
  maxResolution: { min: 72, max: 1200 },
  creditsPerPeriod: { min: 0, max: 1_000_000_000 },
  requestsPerMinute: { min: 1, max: 1_000_000 },
  jobsAtOnce: { min: 1, max: 100_000 },
  fairnessWeight: { min: 1, max: 1000 },
} as const satisfies Record<keyof Omit<Plan, 'id' | 'name'>, { min: number; max: number }>;

/** Facts about a plan that accompany a request into its workflow, so that a later change of the plan cannot alter a replay. */
export type PlanTerms = Pick<Plan, 'name' | 'maxResolution' | 'fairnessWeight'>;

/** The terms themselves. Workflows of earlier versions hold the name of a plan, whose terms were fixed. */
export type GivenPlan = PlanTerms | keyof typeof SEED_PLANS;

/** The terms alone, as they go into inputs of workflows and activities. */
export function termsOf(plan: GivenPlan): PlanTerms {
  const { name, maxResolution, fairnessWeight } = typeof plan === 'string' ? SEED_PLANS[plan] : plan;
  return { name, maxResolution, fairnessWeight };
}

/** From the most thorough to the quickest. */
export const ACCOUNT_TIERS = ['FINE', 'FAST', 'PLAIN'] as const;
/** A tier that enlarges; `AUTO` chooses among those that an account may use. */
export type AccountTier = (typeof ACCOUNT_TIERS)[number];

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
