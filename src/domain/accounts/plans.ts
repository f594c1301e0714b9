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
