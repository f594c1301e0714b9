import { CancellationScope } from '@temporalio/workflow';
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import {
  cancelledDestination,
  isPending,
  type Destination,
  isTerminal,
  type Enhancement,
  type EnhancementStatus,
  destinationEventKey,
  settledEventKey,
  type EventKind,
  type WaitingFor,
} from '@burnish/contract';
import type { Inspection } from '../../activities/provider/local-context.ts';
import type { AnnouncedDelivery, BeginOutcome } from '../../activities/records.ts';
import type { EnhancementRequest } from '../../domain/enhancement/new-enhancement.ts';
import { beginEnhancement, recordDestination, recordEnhancement } from '../activities.ts';
import { eventSource } from '../delivery/notifications.ts';
import type { WaitNotice, WhileIdle } from '../step.ts';
import { createApproval, type Approval } from './approval.ts';
import type { UploadTracker } from '../upload/upload-state.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { WakeUps } from '../hosted/wait.ts';
import type { EnhancementSource, Input } from '../../activities/inputs/schemas.ts';

const EVENT_KIND = 'enhanced_image.status_update' satisfies EventKind;

/** Sends the recorded event of an enhancement to its receivers. No step waits for their answers. */
export const notify = ({ upload }: { upload: UploadTracker }, recorded: readonly AnnouncedDelivery[]): void =>
  upload.notifications.send(recorded, EVENT_KIND);

export interface MoveOptions {
  announce?: boolean;
  /** Captures or releases the reserved credits in the same step */
  settle?: { capture: number } | 'release';
}

export interface BeginRequest {
  /** Changes to the record once the credits are reserved */
  changes: Partial<Enhancement>;
  sentence: string;
  reuse: boolean;
  credits: number | null;
}

/** State of one enhancement. Only this tracker changes it. */
export interface EnhancementTracker {
  readonly state: Enhancement;
  /**
   * Changes the state and writes the record; resolves once it is readable. Any change clears `waitingFor`.
   * @returns the deliveries of its event, which `notify` sends
   */
  record(changes: Partial<Enhancement>, sentence: string, options?: MoveOptions): Promise<AnnouncedDelivery[]>;
  /** Records a change as `record` does, and notifies the receivers. */
  move(changes: Partial<Enhancement>, sentence: string, options?: MoveOptions): Promise<void>;
  /** Finds a reusable result, or reserves the credits and applies the change in the same step. */
  begin(request: BeginRequest): Promise<BeginOutcome>;
  readonly waits: WaitNotice;
  /** Writes the state of the destination of a finished enhancement, with its event once it has ended. */
  noteDestination(destination: Destination, waitingFor: WaitingFor | null, sentence: string): Promise<void>;
}

/**
 * @param source the source file of the enhancement; null before the upload has its file
 * @param newStatus returns what a change of the status shows in the list of workflows
 */
export function trackEnhancement(
  initial: Enhancement,
  upload: UploadTracker,
  source: () => EnhancementSource | null,
  newStatus: (status: EnhancementStatus) => readonly SearchAttributeUpdatePair[],
): EnhancementTracker {
  const state: Enhancement = { ...initial };
  const { webhookUrl } = upload.state;
  upload.shown.carry(state.id, state.waitingFor);

  function apply(changes: Partial<Enhancement>, sentence: string): void {
    const before = { ...state };
    Object.assign(state, { waitingFor: null }, changes);
    // Without a result there is nothing to write.
    if (isTerminal(state.status) && state.status !== 'FINISHED' && isPending(state.destination))
      state.destination = cancelledDestination(state.destination);
    state.revision += 1;
    upload.timeline.say(`${state.id}: ${sentence}`);
    const { id, status, waitingFor, errorCode } = state;
    const attributes = status === before.status ? [] : newStatus(status);
    upload.shown.change(id, { attributes, waitingFor, errorCode: errorCode === before.errorCode ? null : errorCode });
  }

  function toEvent({ id, status, revision }: Enhancement): NonNullable<Input<'recordEnhancement'>['announce']> {
    const eventKey = isTerminal(status) ? settledEventKey(id) : `${id} revision-${revision}`;
    return { kind: EVENT_KIND, source: eventSource(), eventKey, created: new Date().toISOString(), webhookUrl };
  }

  // Not async: the command behind it keeps its place in the histories.
  function record(
    changes: Partial<Enhancement>,
    sentence: string,
    { announce = false, settle }: MoveOptions = {},
  ): Promise<AnnouncedDelivery[]> {
    apply(changes, sentence);
    const enhancement = { ...state };
    const event = announce ? toEvent(enhancement) : null;
    const write = () =>
      recordEnhancement({
        enhancement,
        source: source(),
        sentence,
        settle: settle ?? null,
        nowMs: Date.now(),
        announce: event,
      });
    return announce ? CancellationScope.nonCancellable(write) : write();
  }

  async function move(...change: Parameters<typeof record>): Promise<void> {
    notify({ upload }, await record(...change));
  }

  async function noteDestination(
    destination: Destination,
    waitingFor: WaitingFor | null,
    sentence: string,
  ): Promise<void> {
    apply({ destination, waitingFor }, sentence);
    const { id: enhancementId, uploadId, accountId, revision } = state;
    const ended = !isPending(destination);
    const announce = ended ? { ...toEvent(state), eventKey: destinationEventKey(enhancementId) } : null;
    const write = () =>
      recordDestination({ enhancementId, uploadId, accountId, revision, destination, waitingFor, sentence, announce });
    notify({ upload }, await (ended ? CancellationScope.nonCancellable(write) : write()));
  }

  return {
    state,
    record,
    move,
    noteDestination,
    async waits(machinery, sentence) {
      // Several spans of one PDF may report the same outage.
      if (state.waitingFor !== machinery) await move({ waitingFor: machinery }, sentence);
    },
    async begin({ changes, sentence, reuse, credits }) {
      const from = source();
      if (from === null) throw new TypeError('An enhancement begins once its upload has a file.');
      const enhancement = { ...state, waitingFor: null, ...changes, revision: state.revision + 1 };
      const outcome = await beginEnhancement({
        enhancement,
        source: from,
        sentence,
        reuse,
        credits,
        nowMs: Date.now(),
        // Receivers of the event that reported the wait for credits also get an event about its end.
        announce: state.status === 'AWAITING_CREDITS' ? toEvent(enhancement) : null,
      });
      if (outcome.outcome === 'reserved') {
        apply(changes, sentence);
        notify({ upload }, outcome.deliveries);
      }
      return outcome;
    },
  };
}

/**
 * Progress of an enhancement that its state does not show. Continue-as-new carries it over, so that the enhancement resumes
 * where it waited.
 */
export interface Progress {
  approved?: boolean;
  /** Start of the wait for the current decision, milliseconds since the epoch */
  approvalSince?: number;
  /** Start of the wait for credits, milliseconds since the epoch */
  creditsSince?: number;
  lost?: LostAnswer;
  /** Start of the attempts to write to the destination, milliseconds since the epoch */
  destinationSince?: number;
}

export interface LostAnswer {
  /** Time of the begin call, milliseconds since the epoch */
  sinceMs: number;
  /** Number of the attempt, from 1 */
  attempt: number;
  /** No sign was found; the enhancement waits for an approval */
  held?: boolean;
}

export interface EnhancementRun {
  readonly request: EnhancementRequest;
  readonly tracker: EnhancementTracker;
  readonly progress: Progress;
  readonly approval: Approval;
  readonly scope: CancellationScope;
  readonly whileIdle: WhileIdle;
  readonly wakeUps: EnhancementWakeUps;
  started: boolean;
  idle: boolean;
  /** Storage may have a result */
  mayHaveResult: boolean;
  /** Orders that differ in `pages` alone wait for this one (`pages-lock.ts`) */
  hasPagesLock: boolean;
}

export interface EnhancementWakeUps {
  /** Number of signals about changed credits */
  credits: WakeUps;
  /** Number of events of the hosted service that may be about this enhancement */
  hosted: WakeUps;
}

export function createEnhancementRun(
  request: EnhancementRequest,
  tracker: EnhancementTracker,
  progress: Progress,
  wakeUps: EnhancementWakeUps,
): EnhancementRun {
  const whileIdle: WhileIdle = async (wait) => {
    open.idle = true;
    try {
      return await wait();
    } finally {
      open.idle = false;
    }
  };
  const open: EnhancementRun = {
    request,
    tracker,
    progress,
    approval: createApproval(tracker, whileIdle),
    scope: new CancellationScope(),
    whileIdle,
    wakeUps,
    started: false,
    idle: false,
    mayHaveResult: false,
    hasPagesLock: false,
  };
  return open;
}

/** An inspection that an enhancement makes for its upload. */
export interface SharedInspection {
  /** Undefined before it is known; null: the upload is inspected by itself */
  found: Inspection | null | undefined;
  /** Whether the upload is recorded, as finished or as failed */
  isRecorded: boolean;
}

export interface EnhancementContext {
  upload: UploadTracker;
  /** Of an enhancement that inspects the image of its upload */
  shared?: SharedInspection;
  hosted: HostedPolicy | undefined;
  /** All open enhancements of the upload */
  others(): Iterable<EnhancementRun>;
}

export interface EnhancementWork extends EnhancementContext {
  open: EnhancementRun;
  job: Input<'enhance'>;
}
