import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  sendUpdate,
  UnansweredCommand,
  COMMANDS_OF_ACCOUNT,
  UPDATES_OF_WORKFLOW,
  WAITING_OF_ACCOUNT,
} from '../../../src/api/commands/workflow-commands.ts';
import { deleteUpload } from '../../../src/domain/temporal/workflow-interface.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';
import { recordingTemporal, type RecordingTemporal } from '../support/recording-temporal.ts';

const WAIT_MS = 2_000;
let temporal: RecordingTemporal;
beforeEach(() => {
  temporal = recordingTemporal();
});

const send = (workflowId: string, updateId: string, waitMs = WAIT_MS, permitOf = 'acc_1') =>
  sendUpdate(temporal.client, { permitOf, workflowId, update: deleteUpload, args: [], updateId }, waitMs);
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
    await poll(() => temporal.updates.length).toBe(UPDATES_OF_WORKFLOW);
    expect(await send('upload/other', 'other')).toEqual({ kind: 'done', value: null });
    gate.open();
    await Promise.all(sent);
    const order = temporal.updates.filter(({ workflowId }) => workflowId === 'upload/busy');
    expect(order.map(({ updateId }) => updateId)).toEqual(ids);
    expect(most).toBe(UPDATES_OF_WORKFLOW);
  });

  test('that have no turn in time are not sent, and say so', async () => {
    const gate = createGate();
    temporal.onUpdate = () => gate.opened;
    const first = Array.from({ length: UPDATES_OF_WORKFLOW }, (_, index) => send('upload/full', `id ${index}`));
    const late = await refusalOf(send('upload/full', 'late', 200));
    gate.open();
    await Promise.all(first);
    expect(late).toMatchObject({ code: 'INTERNAL', retryAfterSeconds: 5, mayArrive: false });
    expect(temporal.updates.map(({ updateId }) => updateId)).not.toContain('late');
  });
});

describe('commands of one account to many workflows', () => {
  const flood = (count: number) =>
    Array.from({ length: count }, (_, index) => send(`upload/${index}`, `id ${index}`, 20_000));

  test('reach the server a few at a time, and a command of another account is next', async () => {
    const gate = createGate();
    temporal.onUpdate = ({ updateId }) => (updateId === 'calm' ? null : gate.opened.then(() => null));
    const sent = flood(200);
    expect(await send('upload/calm', 'calm', WAIT_MS, 'acc_calm')).toEqual({ kind: 'done', value: null });
    expect(temporal.updates).toHaveLength(COMMANDS_OF_ACCOUNT.updates + 1);
    gate.open();
    await Promise.all(sent);
    const order = temporal.updates.map(({ updateId }) => updateId).filter((id) => id !== 'calm');
    expect(order).toEqual(order.map((_, index) => `id ${index}`));
  });

  test('wait in a bounded queue, and one more is refused without being sent', async () => {
    const gate = createGate();
    temporal.onUpdate = () => gate.opened.then(() => null);
    const sent = flood(COMMANDS_OF_ACCOUNT.updates + WAITING_OF_ACCOUNT);
    const refused = await refusalOf(send('upload/more', 'more', 20_000));
    expect(refused).toBeInstanceOf(UnansweredCommand);
    expect(refused).toMatchObject({ message: expect.stringContaining('Too many commands wait'), mayArrive: false });
    gate.open();
    await Promise.all(sent);
    expect(temporal.updates.map(({ updateId }) => updateId)).not.toContain('more');
  });

  // Deletions wait for storage, and cancellations for an engine, when the server has nothing left to do.
  test('end their turn with their acceptance', async () => {
    const gate = createGate();
    temporal.onUpdate = () => () => gate.opened.then(() => null);
    const sent = flood(100);
    await poll(() => temporal.updates.length).toBe(100);
    gate.open();
    await Promise.all(sent);
  });
});
