import { CancellationScope } from '@temporalio/workflow';
import type { BeginOutcome, EnhancementOrder, EnhancementSource } from '../../activities/records.ts';
import { isTerminal, type Enhancement } from '../../domain/enhancement/enhancement.ts';
import type { EventKind } from '../../domain/events/events.ts';
import { beginEnhancement, recordEnhancement } from '../activities.ts';
import { eventSource } from '../delivery/notifications.ts';
import type { WaitNotice } from '../machinery-backoff.ts';
import type { UploadTracker } from '../upload/upload-state.ts';

const EVENT_KIND = 'enhanced_image.status_update' satisfies EventKind;

export interface MoveOptions {
  /** Tells the receivers of webhooks where the enhancement stands now */
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

  /** A terminal status is told once, however often the state is written after it. */
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
    // An event that has happened is told, also when the work is cancelled at this very moment.
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
        // Receivers that heard of the wait for credits hear of its end.
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
