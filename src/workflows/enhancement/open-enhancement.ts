import { CancellationScope, condition } from '@temporalio/workflow';
import type { BeginOutcome, EnhancementOrder, EnhancementSource } from '../../activities/records.ts';
import { isTerminal, type Enhancement, type EnhancementRequest } from '../../domain/enhancement/enhancement.ts';
import type { EventKind } from '../../domain/events/events.ts';
import { beginEnhancement, recordEnhancement } from '../activities.ts';
import { eventSource } from '../delivery/notifications.ts';
import { type WaitNotice, type Rest, refusal } from '../step-failures.ts';
import type { UploadTracker } from '../upload/upload-state.ts';
import { Failure } from '../../domain/failures.ts';
import type { EnhanceJob } from '../../activities/provider/provider.ts';
import type { HostedPolicy } from '../../domain/temporal/workflow-interface.ts';
import type { WakeUps } from '../hosted/events.ts';

const EVENT_KIND = 'enhanced_image.status_update' satisfies EventKind;

export interface MoveOptions {
  /** Sends the present state of the enhancement to webhook receivers */
  announce?: boolean;
  /** What becomes of the reserved credits in the same step */
  settle?: { capture: number } | 'release';
}

export interface BeginRequest {
  /** The record once the credits are reserved */
  changes: Partial<Enhancement>;
  sentence: string;
  reuse: boolean;
  credits: number | null;
}

/** The state of one enhancement, and the only way to change it. */
export interface EnhancementTracker {
  readonly state: Enhancement;
  /** Changes the state and writes it where it can be read; resolves when it can be. Any change ends what it waited for. */
  move(changes: Partial<Enhancement>, sentence: string, options?: MoveOptions): Promise<void>;
  /** Finds a result that can serve again, or reserves the credits and makes the change in the same step. */
  begin(request: BeginRequest): Promise<BeginOutcome>;
  /** Says that the enhancement waits for a part of the machinery. */
  readonly waits: WaitNotice;
}

/**
 * @param source what the enhancement is made from; null before the upload has its file
 * @param onStatus called when the status has changed
 */
export function trackEnhancement(
  initial: Enhancement,
  upload: UploadTracker,
  source: () => EnhancementSource | null,
  onStatus: () => void,
): EnhancementTracker {
  const state: Enhancement = { ...initial };
  const { webhookUrl } = upload.state;

  function apply(changes: Partial<Enhancement>, sentence: string): void {
    const { status } = state;
    Object.assign(state, { waitingFor: null }, changes);
    state.revision += 1;
    upload.timeline.say(`${state.id}: ${sentence}`);
    if (state.status !== status) onStatus();
  }

  /** A terminal status is sent once, however often the state is written afterwards. */
  function eventOf({ id, status, revision }: Enhancement): NonNullable<EnhancementOrder['announce']> {
    const eventKey = `${id} ${isTerminal(status) ? 'settled' : `revision-${revision}`}`;
    return { kind: EVENT_KIND, source: eventSource(), eventKey, created: new Date().toISOString(), webhookUrl };
  }

  async function move(
    changes: Partial<Enhancement>,
    sentence: string,
    { announce = false, settle }: MoveOptions = {},
  ): Promise<void> {
    apply(changes, sentence);
    const enhancement = { ...state };
    const event = announce ? eventOf(enhancement) : null;
    const record = () =>
      recordEnhancement({
        enhancement,
        source: source(),
        sentence,
        settle: settle ?? null,
        nowMs: Date.now(),
        announce: event,
      });
    // The event is sent even if the work is cancelled at this moment.
    const deliveries = await (announce ? CancellationScope.nonCancellable(record) : record());
    upload.notifications.send(deliveries, EVENT_KIND);
  }

  return {
    state,
    move,
    async waits(machinery, sentence) {
      // The spans of one PDF meet the same trouble together.
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
        // Receivers of the event about a wait for credits also get one about its end.
        announce: state.status === 'AWAITING_CREDITS' ? eventOf(enhancement) : null,
      });
      if (outcome.outcome === 'reserved') {
        apply(changes, sentence);
        // Histories of earlier versions have none.
        upload.notifications.send(outcome.deliveries ?? [], EVENT_KIND);
      }
      return outcome;
    },
  };
}

/** How long an enhancement waits for a decision (docs/contract.md). */
const APPROVAL_TIMEOUT_MS = 7 * 24 * 3_600_000;

type Decision = 'approved' | 'rejected';

/** The decision of a person. */
export interface Approval {
  /** @throws ApplicationFailure BAD_USER_INPUT when there is nothing to decide, or the other decision was taken */
  assertOpenTo(wanted: Decision): void;
  /** Takes a decision; answers the state that it led to. */
  decide(taken: Decision): Promise<Enhancement>;
  /**
   * @param why sentence for the timeline
   * @param since when the wait began, milliseconds since the epoch
   * @throws Failure APPROVAL_REJECTED when rejected or when nobody decided in time
   */
  wait(why: string, since: number): Promise<void>;
}

function createApproval({ state, move }: EnhancementTracker, rest: Rest): Approval {
  let decision: Decision | null = null;

  return {
    assertOpenTo(wanted) {
      if (state.status !== 'AWAITING_APPROVAL') {
        const detail = `The enhancement is ${state.status}; only one that is AWAITING_APPROVAL can be decided on.`;
        throw refusal(new Failure('BAD_USER_INPUT', { detail }));
      }
      // Two people may decide at the same time: the second must not get a success for the opposite decision.
      if (decision !== null && decision !== wanted) {
        throw refusal(new Failure('BAD_USER_INPUT', { detail: `The enhancement has been ${decision} already.` }));
      }
    },
    async decide(taken) {
      decision ??= taken;
      // The answer shows what the decision led to, not the state before it.
      await condition(() => state.status !== 'AWAITING_APPROVAL');
      return state;
    },
    async wait(why, since) {
      // An earlier decision was about another question.
      decision = null;
      if (state.status !== 'AWAITING_APPROVAL') {
        await move({ status: 'AWAITING_APPROVAL', waitingFor: 'approval' }, why, { announce: true });
      }
      const left = Math.max(1, since + APPROVAL_TIMEOUT_MS - Date.now());
      await rest(() => condition(() => decision !== null, left, { summary: `approval of ${state.id}` }));
      if (decision === 'approved') {
        await move({ status: 'QUEUED' }, 'Approved.');
        return;
      }
      const detail = decision === 'rejected' ? 'The enhancement was rejected.' : 'Nobody approved it within 7 days.';
      throw new Failure('APPROVAL_REJECTED', { detail });
    },
  };
}

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
  /** Storage may have a result */
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

/** One running enhancement: its facts, and the job for its activities. */
export interface EnhancementWork extends EnhancementContext {
  open: OpenEnhancement;
  job: EnhanceJob;
}
