import '../../../../test/setup/quiet-temporal.ts';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { WorkflowFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type EnhanceInput,
  type FakeBurnish,
  type FakeOutcome,
  mockEnhance,
  startFakeBurnish,
} from '../../src/testing/index.ts';
import type { Enhancement } from '../../src/types.ts';
import { createTimeSkippingEnvironment, type WorkflowEnvironment } from '../../../../test/support/time-skipping.ts';
import type * as workflows from './calling-workflow.ts';

const DAY_MS = 86_400_000;
const input: EnhanceInput = {
  source: { url: 'https://example.com/photo.jpg' },
  enhancement: { upscalingFactor: 'X2' },
};
const withReference = (reference: string, more: object = {}): EnhanceInput => ({
  ...input,
  enhancement: { ...input.enhancement, ...more, reference },
});

let server: WorkflowEnvironment;
let burnish: FakeBurnish;
let worker: Worker;
let running: Promise<void>;
let outcome: (input: EnhanceInput) => FakeOutcome;
let headers: Record<string, string>;

beforeEach(() => {
  outcome = () => ({});
  headers = { 'burnish-token': 'test' };
});
const workflowsPath = fileURLToPath(new URL('calling-workflow.ts', import.meta.url));
beforeAll(async () => {
  server = await createTimeSkippingEnvironment();
  const { environment } = server;
  burnish = await startFakeBurnish(environment, { endpoint: 'shop', outcome: (given) => outcome(given) });
  worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: 'photos',
    workflowsPath,
    interceptors: { workflowModules: [workflowsPath] },
    activities: { enhance: mockEnhance(environment, { outcome: (given) => outcome(given) }) },
  });
  running = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await running;
  await burnish?.stop();
  await server?.[Symbol.asyncDispose]();
});

/** Runs a workflow to its end. @returns its result, or the innermost cause of its failure, and the days that it took */
async function run(workflow: Exclude<keyof typeof workflows, 'interceptors'>, ...args: unknown[]) {
  const handle = await server.environment.client.workflow.start<(...given: unknown[]) => Promise<Enhancement>>(
    workflow,
    { taskQueue: 'photos', workflowId: randomUUID(), args, memo: { headers } },
  );
  const ended = await handle.result().then(
    (result) => ({ result, failure: undefined }),
    (error: WorkflowFailedError) => ({ result: undefined, failure: innermost(error) }),
  );
  const { startTime, closeTime } = await handle.describe();
  return { ...ended, days: (closeTime!.getTime() - startTime.getTime()) / DAY_MS };
}

function innermost(error: Error): ApplicationFailure {
  let cause = error;
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause as ApplicationFailure;
}

it('an operation returns a finished record, which getEnhancement reads again', async () => {
  const { result } = await run('call', 'enhance', input);
  expect(result).toMatchObject({ status: 'FINISHED', filename: 'photo.webp', width: 256, chargedCredits: 4 });
  expect(burnish.orders.at(-1)).toEqual(input);
  const read = await run('call', 'getEnhancement', { enhancementId: result!.id });
  expect(read.result).toEqual(result);
  const unknown = await run('call', 'getEnhancement', { enhancementId: 'enh_unknown' });
  expect(unknown.failure?.type).toBe('NOT_FOUND');
});

it('an enhancement takes 30 days of the clock, and milliseconds of the test', async () => {
  outcome = () => ({ afterMs: 30 * DAY_MS, enhancement: { width: 4_000 } });
  const since = performance.now();
  for (const workflow of ['call', 'callActivity'] as const) {
    const { result, days } = await run(workflow, ...(workflow === 'call' ? ['enhance', input] : [input]));
    expect(result).toMatchObject({ status: 'FINISHED', width: 4_000 });
    expect(days).toBeGreaterThanOrEqual(30);
    expect(days).toBeLessThan(31);
  }
  expect(performance.now() - since).toBeLessThan(30_000);
});

it.each(['call', 'callActivity'] as const)('references cause the failures of %s', async (workflow) => {
  const args = (given: EnhanceInput): unknown[] => (workflow === 'call' ? ['enhance', given] : [given]);
  const { failure } = await run(workflow, ...args(withReference('test:CORRUPT_FILE')));
  expect([failure?.type, failure?.message]).toEqual([
    'CORRUPT_FILE',
    'The file is damaged and cannot be read. Open the file in another program, save it again, and send the new file.',
  ]);
  outcome = () => ({ reference: 'test:STORAGE_LIMIT' });
  expect((await run(workflow, ...args(input))).failure?.type).toBe('STORAGE_LIMIT');
  outcome = () => ({});
  expect((await run(workflow, ...args(withReference('test:nothing')))).failure?.type).toBe('BAD_USER_INPUT');
});

it('nobody approves for seven days', async () => {
  for (const order of [
    withReference('test:wait-approval'),
    { ...input, enhancement: { ...input.enhancement, maxCredits: 3 } },
  ]) {
    const { failure, days } = await run('call', 'enhance', order);
    expect(failure?.type).toBe('APPROVAL_REJECTED');
    expect(days).toBeGreaterThanOrEqual(7);
  }
});

it('a destination is away for a day, and the result remains', async () => {
  const destination = { bucket: 'results', key: 'orders/{reference}/{name}' };
  const lost = await run('call', 'enhance', withReference('test:DESTINATION_UNAVAILABLE', { destination }));
  expect(lost.result).toMatchObject({
    status: 'FINISHED',
    destination: { status: 'FAILED', errorCode: 'DESTINATION_UNAVAILABLE' },
  });
  expect(lost.days).toBeGreaterThanOrEqual(1);
  const late = await run('call', 'enhance', withReference('test:wait-destination', { destination }));
  expect(late.result?.destination).toMatchObject({
    status: 'DELIVERED',
    key: 'orders/test:wait-destination/photo.webp',
  });
});

it('a cancelled caller cancels the enhancement', async () => {
  outcome = () => ({ afterMs: 30 * DAY_MS });
  const { days } = await run('callAndCancel', input);
  expect(days).toBeLessThan(3);
});

it('options of PDFs are given and shown in `pdf`, and nowhere else', async () => {
  const enhancement = { targetResolution: 300, pdf: { compact: true, pages: { 7: 'ORIGINAL' } } } as const;
  const { result } = await run('call', 'enhance', { ...input, enhancement } satisfies EnhanceInput);
  expect(result?.parameters).toEqual(enhancement);
  expect(result?.parameters.pdf?.compact).toBe(true);
  const { failure } = await run('call', 'enhance', { ...input, enhancement: { compact: true } });
  expect([failure?.type, failure?.message]).toEqual([
    'BAD_USER_INPUT',
    'Unknown field enhancement.compact. Correct the input, and try again.',
  ]);
});

it('a call without a token, and one with an unknown field, are refused', async () => {
  headers = {};
  expect((await run('call', 'enhance', input)).failure?.type).toBe('FORBIDDEN');
  headers = { 'burnish-token': 'test' };
  const misspelt = { ...input, enhancement: { upscaling: 'X2' } };
  const { failure } = await run('call', 'enhance', misspelt);
  expect([failure?.type, failure?.message]).toEqual([
    'BAD_USER_INPUT',
    'Unknown field enhancement.upscaling. Correct the input, and try again.',
  ]);
  expect((await run('call', 'estimate', { uploadId: 'upl_1', enhancement: { mode: 'ENHANCE' } })).result).toMatchObject(
    {
      credits: 1,
    },
  );
});
