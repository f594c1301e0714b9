import { setHandler, upsertSearchAttributes } from '@temporalio/workflow';
import type { Batch, BatchEventKind } from '@burnish/contract';
import { batchState } from '../../domain/temporal/workflow-interface.ts';
import { statusAttribute } from '../../domain/temporal/search-attributes.ts';
import { recordBatch } from '../activities.ts';
import { createNotifications, type Notifications } from '../delivery/notifications.ts';
import { createTimeline, type Timeline } from '../timeline.ts';

/** State of one batch. Only this tracker changes it. */
export interface BatchTracker {
  readonly state: Batch;
  readonly timeline: Timeline;
  readonly notifications: Notifications;
  /** Changes the state, and writes the record and its event in one step. */
  move(changes: Partial<Batch>, sentence: string, event?: BatchEventKind): Promise<void>;
}

export function trackBatch(initial: Batch, timelineSoFar: readonly string[]): BatchTracker {
  const state: Batch = { ...initial };
  const timeline = createTimeline(timelineSoFar);
  const notifications = createNotifications(state.accountId);
  setHandler(batchState, () => state);

  return {
    state,
    timeline,
    notifications,
    async move(changes, sentence, event) {
      const { status } = state;
      Object.assign(state, { pauseReason: null }, changes);
      state.revision += 1;
      timeline.say(sentence);
      if (state.status !== status) upsertSearchAttributes([{ key: statusAttribute, value: state.status }]);
      const announce =
        event === undefined
          ? null
          : { kind: event, eventKey: eventKey(event, state), created: new Date().toISOString() };
      const deliveries = await recordBatch({ batch: { ...state }, announce });
      if (event !== undefined) notifications.send(deliveries, event);
    },
  };
}

/** Most events occur once in each round of retries. A batch may run out of credits several times. */
function eventKey(event: BatchEventKind, { round, revision }: Batch): string {
  return event === 'batch.trouble' ? `${event} revision-${revision}` : `${event} round-${round}`;
}
