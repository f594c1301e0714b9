/** Why an endpoint is disabled: it answered 410, it failed for `FAILING_LIMIT_MS`, or the account asked for it. */
export const DISABLED_REASONS = ['gone', 'failing', 'request'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An endpoint whose attempts have all failed for this long is disabled, milliseconds. */
export const FAILING_LIMIT_MS = 5 * 24 * 3_600_000;
