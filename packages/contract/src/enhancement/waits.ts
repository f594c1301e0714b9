/* Waits of an enhancement that a caller notices, in milliseconds. */

export const DAY_MS = 86_400_000;

/** Maximum time that an enhancement waits for a decision (docs/contract.md). */
export const APPROVAL_MS = 7 * DAY_MS;

/** Longest interval between two checks of the ledger, so that a lost signal only delays the enhancement. */
export const LEDGER_CHECK_MS = 15 * 60_000;
