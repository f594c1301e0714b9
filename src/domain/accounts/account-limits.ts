import { counted, formatNumber, Failure, type Plan, type PlanTerms, type AccountLimits } from '@burnish/contract';

export const toPlanTerms = ({ name, maxResolution, fairnessWeight }: Plan): PlanTerms => ({
  name,
  maxResolution,
  fairnessWeight,
});

/** Credits of a test account each calendar month: free, and more than tests need. */
export const TEST_CREDITS_PER_PERIOD = 1_000_000;

/** Requests per minute of an account. */
export const effectiveRequestsPerMinute = (account: AccountLimits, plan: Plan): number =>
  account.requestsPerMinute ?? plan.requestsPerMinute;

/** Maximum number of enhancements, and of uploads, of an account that wait or run. */
export const effectiveJobsAtOnce = (account: AccountLimits, plan: Plan): number =>
  account.jobsAtOnce ?? plan.jobsAtOnce;

/** Maximum number of stored bytes of an account. */
export const effectiveStoredBytes = (account: AccountLimits, plan: Plan): number =>
  account.maxStoredBytes ?? plan.maxStoredBytes;

/** The refusal of a file for which the account has no room. @param stored bytes @param limit bytes */
export function storageLimit(stored: number, limit: number): Failure {
  const detail = `The account stores ${formatNumber(stored)} of at most ${formatNumber(limit)} bytes, and the file does not fit.`;
  return new Failure('STORAGE_LIMIT', { detail });
}

/** @throws Failure BAD_USER_INPUT when no retention is within the bounds */
export function assertRetentionBounds({
  minRetentionDays: min,
  maxRetentionDays: max,
}: Pick<AccountLimits, 'minRetentionDays' | 'maxRetentionDays'>): void {
  if (min <= max) return;
  const detail = `The shortest retention, ${counted(min, 'day')}, exceeds the longest, ${counted(max, 'day')}.`;
  throw new Failure('BAD_USER_INPUT', { field: 'minRetentionDays', detail });
}
