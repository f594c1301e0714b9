/** Reasons for a disabled endpoint: it answered 410, it failed for `FAILING_LIMIT_MS`, or the account requested it. */
const DISABLED_REASONS = ['gone', 'failing', 'request'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Time of continuous failures after which an endpoint is disabled, milliseconds. */
export const FAILING_LIMIT_MS = 5 * 24 * 3_600_000;
