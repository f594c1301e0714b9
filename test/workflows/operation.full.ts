import '../setup/quiet-temporal.ts';
import { CancelledFailure, type ApplicationFailure } from '@temporalio/common';
import type { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTimeSkippingEnvironment, type WorkflowEnvironment } from '../support/time-skipping.ts';
import { endedAs, startOperation, type OperationScript } from './scripted-operation.ts';

let server: WorkflowEnvironment;
beforeAll(async () => {
  server = await createTimeSkippingEnvironment();
});
afterAll(async () => await server[Symbol.asyncDispose]());

/** Runs an operation, cancelled once it waits if `cancelled` says so. @returns its result, or the failure that ended it */
async function outcomeOf(script: OperationScript): Promise<unknown> {
  await using operation = await startOperation(server.environment, script);
  return await operation.handle.result().catch((error: WorkflowFailedError) => error.cause);
}

it('an operation waits again while its enhancement is open, and returns the finished record', async () => {
  const finished = endedAs('FINISHED');
  const outcome = await outcomeOf({ looks: [null, null, finished] });
  expect(outcome).toEqual(finished);
});

it('an operation fails with the code, the fault and the remedy of its enhancement, and once', async () => {
  const looks = [endedAs('ERROR', { errorCode: 'CORRUPT_FILE', errorDetail: 'The file ends early.' })];
  const failure = (await outcomeOf({ looks })) as ApplicationFailure;
  expect(failure).toMatchObject({ type: 'CORRUPT_FILE', nonRetryable: true });
  expect(failure.message).toBe(
    'The file ends early. Open the file in another program, save it again, and send the new file.',
  );
});

it('an operation fails when someone else cancels its enhancement', async () => {
  const failure = (await outcomeOf({ looks: [endedAs('CANCELLED')] })) as ApplicationFailure;
  expect([failure.type, failure.message]).toEqual(['CANCELLED', expect.stringContaining('was cancelled')]);
});

it('a cancelled operation cancels its enhancement, and is then cancelled itself', async () => {
  const script: OperationScript = { looks: ['cancelled', endedAs('CANCELLED')] };
  expect(await outcomeOf(script)).toBeInstanceOf(CancelledFailure);
  expect(script.cancellations).toBe(1);
});

it('a cancellation that comes too late leaves the result', async () => {
  const finished = endedAs('FINISHED');
  expect(await outcomeOf({ looks: ['cancelled', finished] })).toEqual(finished);
});
