import { WorkflowNotFoundError } from '@temporalio/common';
import { expect, test } from '@jest/globals';
import type { Batch, BatchStatus, CountedBatch } from '@burnish/contract';
import { sendToBatch } from '../../../src/api/batches/send-to-batch.ts';
import { pauseBatch } from '../../../src/domain/temporal/workflow-interface.ts';

const WAIT_MS = 5_000;
const open = { id: 'bat_1', accountId: 'acc_1', status: 'RUNNING', reference: null } as unknown as CountedBatch;

/** Temporal, where the run of a batch ends as the first command arrives. The batch then has a status in its record. */
function temporalWithEnd(status: BatchStatus) {
  let sent = 0;
  const startUpdate = async (): Promise<{ result(): Promise<Batch> }> => {
    sent += 1;
    if (sent === 1) throw new WorkflowNotFoundError('workflow execution already completed', 'batch', undefined);
    return { result: async () => ({ ...open, status: 'PAUSED' }) };
  };
  const workflow = { start: async () => ({}), getHandle: () => ({ startUpdate }) };
  const deps = {
    client: { workflow, withDeadline: (_at: number, work: () => unknown) => work() },
    batches: { get: async () => ({ ...open, status }) },
    commandWaitMs: WAIT_MS,
  };
  const command = { update: pauseBatch, args: [] as [], updateId: 'once' };
  const plan = { id: 'FREE', fairnessWeight: 1 };
  return sendToBatch(deps as never, { batch: open, plan: plan as never }, command);
}

test('a command that arrives as an open batch goes on in another run is sent again', async () => {
  expect(await temporalWithEnd('RUNNING')).toMatchObject({ kind: 'done', value: { status: 'PAUSED' } });
});

test('a command that arrives as a batch ends is not sent again', async () => {
  expect(await temporalWithEnd('FINISHED')).toEqual({ kind: 'ended' });
});
