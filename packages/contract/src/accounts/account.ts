/** A plan of the operator. Plans are rows of a table; a change applies from the next request on. */
export interface Plan {
  id: string;
  name: string;
  /** Highest resolution of PDF images, DPI */
  maxResolution: number;
  /** Credits of an account per calendar month, unless the account has its own number */
  creditsPerPeriod: number;
  /** Requests per minute of one account at each gateway, unless the account has its own number */
  requestsPerMinute: number;
  /**
   * Maximum number of waiting and running enhancements of one account, and of its uploads that wait for a file or its check,
   * unless the account has its own number
   */
  jobsAtOnce: number;
  /** Share of a busy queue: an account with weight 4 gets four tasks per task of an account with weight 1 */
  fairnessWeight: number;
  /** Maximum number of stored bytes of one account, unless the account has its own number */
  maxStoredBytes: number;
}

export const SEED_PLANS = {
  FREE: {
    name: 'Free',
    maxResolution: 300,
    creditsPerPeriod: 1000,
    requestsPerMinute: 6000,
    jobsAtOnce: 2000,
    fairnessWeight: 1,
    maxStoredBytes: 100_000_000_000,
  },
  BASIC: {
    name: 'Basic',
    maxResolution: 600,
    creditsPerPeriod: 10_000,
    requestsPerMinute: 12_000,
    jobsAtOnce: 5000,
    fairnessWeight: 2,
    maxStoredBytes: 1_000_000_000_000,
  },
  BUSINESS: {
    name: 'Business',
    maxResolution: 1200,
    creditsPerPeriod: 100_000,
    requestsPerMinute: 24_000,
    jobsAtOnce: 20_000,
    fairnessWeight: 4,
    maxStoredBytes: 10_000_000_000_000,
  },
} as const satisfies Record<string, Omit<Plan, 'id'>>;

export const PLAN_ID = /^[A-Z][A-Z0-9_]{0,31}$/;

/** Bounds of each number of a plan; the contract has no resolution above 1,200 DPI. */
export const PLAN_BOUNDS = {
  maxResolution: { min: 72, max: 1200 },
  creditsPerPeriod: { min: 0, max: 1_000_000_000 },
  requestsPerMinute: { min: 1, max: 1_000_000 },
  jobsAtOnce: { min: 1, max: 100_000 },
  fairnessWeight: { min: 1, max: 1000 },
  maxStoredBytes: { min: 1, max: 1_000_000_000_000_000 },
} as const satisfies Record<keyof Omit<Plan, 'id' | 'name'>, { min: number; max: number }>;

/** The highest resolution that any plan allows, DPI. */
export const HIGHEST_RESOLUTION = PLAN_BOUNDS.maxResolution.max;

/** Facts of a plan that accompany a request into its workflow, so that a later change of the plan cannot alter a replay. */
export type PlanTerms = Pick<Plan, 'name' | 'maxResolution' | 'fairnessWeight'>;

/** Tiers from the most thorough to the fastest. */
export const ACCOUNT_TIERS = ['DETAIL', 'FINE', 'FAST', 'PLAIN'] as const;
export type AccountTier = (typeof ACCOUNT_TIERS)[number];

/** The operator's settings for one account; null defers to the plan or to the instance. */
export interface AccountLimits {
  /** Credits granted at the start of each calendar month; null: the plan's number */
  creditsPerPeriod: number | null;
  /** Requests per minute at each gateway; null: the plan's number */
  requestsPerMinute: number | null;
  /** Maximum number of enhancements, and of uploads, that wait or run; null: the plan's number */
  jobsAtOnce: number | null;
  /** Maximum number of stored bytes; null: the plan's number */
  maxStoredBytes: number | null;
  /** Minimum and maximum retention that the account may choose, days */
  minRetentionDays: number;
  maxRetentionDays: number;
  /** Null: every tier */
  allowedTiers: AccountTier[] | null;
}

export interface Account extends AccountLimits {
  id: string;
  name: string;
  plan: string;
  /** Retention of new uploads in days, 1 to 365 */
  retentionDays: number;
  /** Secret for deliveries to webhook URLs of uploads; `whsec_…` */
  webhookSecret: string;
  createdAt: string;
  /** Time of the suspension; null for an active account */
  suspendedAt: string | null;
  /** Time of the deletion request; null for an existing account */
  deletedAt: string | null;
  /** Id of the account that this is the test account of; null for any other account */
  testOf: string | null;
}

/** Maximum length of the name of an account, in UTF-16 units. */
export const MAX_ACCOUNT_NAME_LENGTH = 100;

/** Maximum number of API keys of an account: more than environments and teams need, and few enough for one page. */
export const MAX_API_KEYS = 100;

/** Days (docs/contract.md). */
export const RETENTION_DAYS = { min: 1, max: 365, default: 30 } as const;

export interface AccountReceipt {
  /** Time of the deletion request, ISO 8601 */
  orderedAt: string;
  /** Time of the deletion of the last file, ISO 8601; null while files are being deleted */
  finishedAt: string | null;
  uploads: number;
  results: number;
  /** Bytes of originals and results */
  bytes: number;
  apiKeys: number;
  webhookEndpoints: number;
}
