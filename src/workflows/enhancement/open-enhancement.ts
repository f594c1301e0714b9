import { CancellationScope } from '@temporalio/workflow';
import type { EnhancementRequest } from '../../domain/enhancement/enhancement.ts';
import type { EnhanceJob } from '../../activities/provider/provider.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-inputs.ts';
import type { WakeUps } from '../hosted/events.ts';
import type { Rest } from '../machinery-backoff.ts';
import type { UploadTracker } from '../upload/upload-state.ts';
import { createApproval, type Approval } from './approval.ts';
import type { EnhancementTracker } from './enhancement-state.ts';

/**
 * How far an enhancement has come where its state does not say it. It is carried over when the workflow continues as new, so that
 * the enhancement goes on where it waited.
 */
export interface Progress {
  /** A person has approved the estimate */
  approved?: boolean;
  /** When it began to wait for the present decision, milliseconds since the epoch */
  approvalSince?: number;
  /** When it began to wait for credits, milliseconds since the epoch */
  creditsSince?: number;
  /** The hosted service was asked to begin, and its answer was lost */
  lost?: LostAnswer;
}

export interface LostAnswer {
  /** When the service was asked, milliseconds since the epoch */
  sinceMs: number;
  /** Which try it was, from 1 */
  attempt: number;
  /** No sign was found; a person decides */
  held?: boolean;
}

/** One enhancement that has not ended. */
export interface OpenEnhancement {
  readonly request: EnhancementRequest;
  readonly tracker: EnhancementTracker;
  readonly progress: Progress;
  readonly approval: Approval;
  readonly scope: CancellationScope;
  readonly rest: Rest;
  readonly wakeUps: EnhancementWakeUps;
  started: boolean;
  /** Waits where nothing is in flight */
  resting: boolean;
  /** A result may lie in storage */
  mayHaveResult: boolean;
}

export interface EnhancementWakeUps {
  /** Counts the signals that credits have changed */
  credits: WakeUps;
  /** Counts the events of the hosted service that may be about this enhancement */
  hosted: WakeUps;
}

export function openEnhancement(
  request: EnhancementRequest,
  tracker: EnhancementTracker,
  progress: Progress,
  wakeUps: EnhancementWakeUps,
): OpenEnhancement {
  const rest: Rest = async (wait) => {
    open.resting = true;
    try {
      return await wait();
    } finally {
      open.resting = false;
    }
  };
  const open: OpenEnhancement = {
    request,
    tracker,
    progress,
    approval: createApproval(tracker, rest),
    scope: new CancellationScope(),
    rest,
    wakeUps,
    started: false,
    resting: false,
    mayHaveResult: false,
  };
  return open;
}

/** What an enhancement needs of its upload. */
export interface EnhancementContext {
  upload: UploadTracker;
  /** Where the upload's provider is `hosted` */
  hosted: HostedPolicy | undefined;
}

/** One enhancement at work: what it is, and the job that its activities are given. */
export interface EnhancementWork extends EnhancementContext {
  open: OpenEnhancement;
  job: EnhanceJob;
}
