import type { Approval } from './approval.ts';
import type { EnhancementTracker } from './enhancement-state.ts';
import type { WakeUps } from './provider-events.ts';

/** What the steps of an enhancement work with. */
export interface EnhancementParts {
  tracker: EnhancementTracker;
  approval: Approval;
  providerEvents: WakeUps;
  /** Counts the signals that credits have changed */
  creditSignals: WakeUps;
}
