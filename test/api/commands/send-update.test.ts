import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sendUpdate, UnansweredCommand } from '../../../src/api/commands/send-update.ts';
import { UPDATES_AT_ONCE } from '../../../src/api/commands/update-turns.ts';
import { deleteUpload } from '../../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';
import { recordingTemporal, type RecordingTemporal } from '../support/recording-temporal.ts';

const WAIT_MS = 2_000;
let temporal: RecordingTemporal;
beforeEach(() => {
  temporal = recordingTemporal();
});

const send = (workflowId: string, updateId: string, waitMs = WAIT_MS) =>
  sendUpdate(temporal.client, { workflowId, update: deleteUpload, args: [], updateId }, waitMs);
/** gRPC status codes */
const [RESOURCE_EXHAUSTED, FAILED_PRECONDITION, UNAVAILABLE] = [8, 9, 14];
const answered = (code: number): never => {
  const cause = Object.assign(new Error('no'), { code, details: 'no', metadata: {} });
  throw new ServiceError('Workflow Update failed', { cause });
};
/** The server answers so as a worker completes its workflow task without the update. The client reads it with the result. */
const unprocessed = () => (): never => {
  const cause = ApplicationFailure.create({ type: 'UnprocessedUpdate', message: 'not processed', nonRetryable: true });
  throw new WorkflowUpdateFailedError('Workflow Update failed', cause);
};
const refusalOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an update that was not processed', () => {
  test.each<[string, () => unknown]>([
    ['was left by its worker', unprocessed],
    ['was one too many', () => answered(RESOURCE_EXHAUSTED)],
    ['was forgotten by the server', () => answered(UNAVAILABLE)],
    ['met a continue-as-new', () => answered(FAILED_PRECONDITION)],
  ])('because it %s, is sent again with the same id', async (_, refuse) => {
    temporal.onUpdate = () => (temporal.updates.length < 3 ? refuse() : { id: 'upl_1' });
    expect(await send('upload/1', 'one')).toEqual({ kind: 'done', value: { id: 'upl_1' } });
    expect(temporal.updates.map(({ updateId }) => updateId)).toEqual(['one', 'one', 'one']);
  });

  test.each<[string, () => unknown, boolean]>([
    ['left by its worker', unprocessed, false],
    ['forgotten by the server', () => answered(UNAVAILABLE), true],
  ])('is a temporary failure at the deadline: %s', async (_, refuse, mayArrive) => {
    temporal.onUpdate = refuse;
    const failure = await refusalOf(send('upload/2', 'two', 300));
    expect(failure).toBeInstanceOf(UnansweredCommand);
    expect(failure).toMatchObject({ code: 'INTERNAL', retryAfterSeconds: 5, mayArrive });
    expect(temporal.updates.length).toBeGreaterThan(1);
  });

  test('ends with its workflow', async () => {
    temporal.onUpdate = ({ workflowId }) => {
      if (temporal.updates.length < 2) return unprocessed();
      throw new WorkflowNotFoundError('not found', workflowId, undefined);
    };
    expect(await send('upload/3', 'three')).toEqual({ kind: 'ended' });
  });
});

describe('commands to one workflow at the same time', () => {
  test('have few unanswered updates, in the order of the calls, and delay no other workflow', async () => {
    const gate = createGate();
    let [unanswered, most] = [0, 0];
    temporal.onUpdate = async ({ workflowId }) => {
      if (workflowId === 'upload/other') return null;
      most = Math.max(most, (unanswered += 1));
      await gate.opened;
      unanswered -= 1;
      return null;
    };
    const ids = Array.from({ length: 60 }, (_, index) => `id ${index}`);
    const sent = ids.map((id) => send('upload/busy', id, 20_000));
    await poll(() => temporal.updates.length).toBe(UPDATES_AT_ONCE);
    expect(await send('upload/other', 'other')).toEqual({ kind: 'done', value: null });
    gate.open();
    await Promise.all(sent);
    const order = temporal.updates.filter(({ workflowId }) => workflowId === 'upload/busy');
    expect(order.map(({ updateId }) => updateId)).toEqual(ids);
    expect(most).toBe(UPDATES_AT_ONCE);
  });

  test('that have no turn in time are not sent, and say so', async () => {
    const gate = createGate();
    temporal.onUpdate = () => gate.opened;
    const first = Array.from({ length: UPDATES_AT_ONCE }, (_, index) => send('upload/full', `id ${index}`));
    const late = await refusalOf(send('upload/full', 'late', 200));
    gate.open();
    await Promise.all(first);
    expect(late).toMatchObject({ code: 'INTERNAL', retryAfterSeconds: 5, mayArrive: false });
    expect(temporal.updates.map(({ updateId }) => updateId)).not.toContain('late');
  });
});
