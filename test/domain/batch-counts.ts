import type { BatchCounts } from '@burnish/contract';

/** The counts of a batch that has not started yet. */
export const counts = (items: number): BatchCounts => ({
  items,
  running: 0,
  finished: 0,
  failed: 0,
  cancelled: 0,
  chargedCredits: 0,
});
