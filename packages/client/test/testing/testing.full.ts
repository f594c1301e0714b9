import '../../../../test/setup/quiet-temporal.ts';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { WorkflowFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import * as nexus from 'nexus-rpc';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { BurnishPlugin } from '../../src/temporal/worker.ts';
import { burnishService, type EnhanceInput } from '../../src/temporal/workflow.ts';
import { type FakeBurnish, type FakeOutcome, startFakeBurnish } from '../../src/testing/index.ts';
import type { Enhancement } from '../../src/types.ts';
import { until } from '../../../../test/support/until.ts';
import { createTimeSkippingEnvironment, type WorkflowEnvironment } from '../../../../test/support/time-skipping.ts';
import type * as workflows from './calling-workflow.ts';

const DAY_MS = 86_400_000;
const input: EnhanceInput = {
  source: { url: 'https://example.com/photo.jpg' },
  enhancements: [{ upscalingFactor: 'X2' }],
};
const withReference = (reference: string, more: object = {}): EnhanceInput => ({
  ...input,
  enhancements: [{ ...input.enhancements[0], ...more, reference }],
});

const LIMITED: EnhanceInput = { ...input, enhancements: [{ ...input.enhancements[0], maxCredits: 3 }] };
const CALLERS = ['call', 'callActivity'] as const;
const argsOf = (caller: (typeof CALLERS)[number], given: EnhanceInput): unknown[] =>
  caller === 'call' ? ['enhance', given] : [given];

let server: WorkflowEnvironment;
let burnish: FakeBurnish;
let worker: Worker;
let running: Promise<void>;
let outcome: (input: EnhanceInput) => FakeOutcome;
let headers: Record<string, string>;
/** The fake of the activity */
let called: FakeBurnish;

beforeEach(() => {
  outcome = () => ({});
  headers = {};
  called = burnish;
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
    activities: { enhance: (given: EnhanceInput) => called.enhance(given) },
    plugins: [new BurnishPlugin({ token: (endpoint) => `token of ${endpoint}` })],
  });
  running = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await running;
  await burnish?.stop();
  await server?.[Symbol.asyncDispose]();
});

type WorkflowName = Exclude<keyof typeof workflows, 'interceptors'>;

const start = (workflow: WorkflowName, ...args: unknown[]) =>
  server.environment.client.workflow.start<(...given: unknown[]) => Promise<Enhancement>>(workflow, {
    taskQueue: 'photos',
    workflowId: randomUUID(),
    args,
    memo: { headers },
  });

/** @returns the result of a workflow, or the innermost cause of its failure, and the days that it took */
async function outcomeOf(handle: Awaited<ReturnType<typeof start>>) {
  const ended = await handle.result().then(
    (result) => ({ result, failure: undefined }),
    (error: WorkflowFailedError) => ({ result: undefined, failure: innermost(error) }),
  );
  const { startTime, closeTime } = await handle.describe();
  return { ...ended, days: (closeTime!.getTime() - startTime.getTime()) / DAY_MS };
}

const run = async (workflow: WorkflowName, ...args: unknown[]) => outcomeOf(await start(workflow, ...args));

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
  for (const workflow of CALLERS) {
    const { result, days } = await run(workflow, ...argsOf(workflow, input));
    expect(result).toMatchObject({ status: 'FINISHED', width: 4_000 });
    expect(days).toBeGreaterThanOrEqual(30);
    expect(days).toBeLessThan(31);
  }
});

it.each(CALLERS)('references cause the failures of %s', async (workflow) => {
  const args = (given: EnhanceInput): unknown[] => argsOf(workflow, given);
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
  for (const order of [withReference('test:wait-approval'), LIMITED]) {
    const { failure, days } = await run('call', 'enhance', order);
    expect(failure?.type).toBe('APPROVAL_REJECTED');
    expect(days).toBeGreaterThanOrEqual(7);
    expect(days).toBeLessThan(8);
  }
});

/** The newest enhancement with a status. It waits for the order. */
const newest = (status: Enhancement['status']) =>
  until(async () => (await burnish.enhancements.list({ status }).next()).value || undefined);

it.each(CALLERS)('a person decides on %s after three days', async (caller) => {
  outcome = () => ({ afterMs: 2 * DAY_MS });
  for (const given of [['approve', 'approve'], ['reject'], ['approve', 'reject']] as const) {
    const handle = await start(caller, ...argsOf(caller, LIMITED));
    const { id } = await newest('AWAITING_APPROVAL');
    // The clock stands while the test neither sleeps nor awaits a result.
    const before = await server.environment.currentTimeMs();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await server.environment.currentTimeMs()) - before).toBeLessThan(60_000);
    await server.environment.sleep('3 days');
    expect(await burnish.enhancements.get(id)).toMatchObject({ status: 'AWAITING_APPROVAL', waitingFor: 'approval' });

    // Of two decisions at once the first one counts.
    const decisions = await Promise.allSettled(given.map((decision) => burnish.enhancements[decision](id)));
    const counting = given[decisions.findIndex(({ status }) => status === 'fulfilled')];
    for (const [index, decision] of decisions.entries()) {
      if (decision.status === 'fulfilled') expect(given[index]).toBe(counting);
      else expect(decision).toMatchObject({ reason: { name: 'BurnishError', code: 'CONFLICT', status: 409 } });
    }
    const { result, failure, days } = await outcomeOf(handle);
    if (counting === 'approve') expect(result).toMatchObject({ id, status: 'FINISHED', chargedCredits: 4 });
    else expect(failure).toMatchObject({ type: 'APPROVAL_REJECTED', message: expect.stringMatching(/ was rejected,/) });
    const least = counting === 'approve' ? 5 : 3;
    expect(days).toBeGreaterThanOrEqual(least);
    expect(days).toBeLessThan(least + 0.5);
    await expect(burnish.enhancements.approve(id)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/^The enhancement is (FINISHED|ERROR);/),
    });
  }
  await expect(burnish.enhancements.approve('enh_unknown')).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
});

it('orders wait for a top-up, and fail without one', async () => {
  called = await startFakeBurnish(server.environment, { credits: 5 });
  try {
    expect((await run('callActivity', input)).result).toMatchObject({ chargedCredits: 4 });
    const patient = { ...input, enhancements: [{ ...input.enhancements[0], creditWait: 5 * 86_400 }] };
    const handles = [await start('callActivity', patient), await start('callActivity', patient)];
    await server.environment.sleep('2 days');
    const waiting: string[][] = [];
    for await (const { id, status } of called.enhancements.list({ status: 'AWAITING_CREDITS' }))
      waiting.push([id, status]);
    expect(new Set(waiting.map(([id]) => id)).size).toBe(2);
    await called.topUp(3);
    // Two results at once would skip the time of activities, too.
    const outcomes = [await outcomeOf(handles[0]!), await outcomeOf(handles[1]!)];
    const [paid, unpaid] = outcomes.sort((a, b) => a.days - b.days);
    expect(paid!.result).toMatchObject({ status: 'FINISHED' });
    expect(paid!.days).toBeLessThan(3);
    expect([unpaid!.failure?.type, unpaid!.failure?.message]).toEqual([
      'INSUFFICIENT_CREDITS',
      expect.stringMatching(/^The enhancement needs 4 credits, and the account has 0 left\./),
    ]);
    expect(unpaid!.days).toBeGreaterThanOrEqual(5);
    // A failed order pays nothing.
    await called.topUp(4);
    const reference = 'test:INTERNAL';
    await run('callActivity', { ...input, enhancements: [{ ...input.enhancements[0], reference }] });
    expect((await run('callActivity', input)).result).toMatchObject({ status: 'FINISHED' });
  } finally {
    await called.stop();
  }
});

it.each(CALLERS)('a program cancels the enhancement of %s', async (caller) => {
  const handle = await start(caller, ...argsOf(caller, LIMITED));
  const { id } = await newest('AWAITING_APPROVAL');
  for (const time of ['first', 'second'])
    expect([time, await burnish.enhancements.cancel(id)]).toMatchObject([time, { id, status: 'CANCELLED' }]);
  const { failure, days } = await outcomeOf(handle);
  expect([failure?.type, failure?.message]).toEqual(['CANCELLED', `The enhancement ${id} was cancelled.`]);
  expect(days).toBeLessThan(1);
  const { result } = await run('call', 'enhance', input);
  await expect(burnish.enhancements.cancel(result!.id)).rejects.toMatchObject({ code: 'CONFLICT' });
});

it.each(CALLERS)('an input without a source is refused to %s', async (caller) => {
  const { failure } = await run(caller, ...argsOf(caller, { enhancements: [{}] } as unknown as EnhanceInput));
  expect(failure?.type).toBe('BAD_USER_INPUT');
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
  const { result } = await run('call', 'enhance', { ...input, enhancements: [enhancement] } satisfies EnhanceInput);
  expect(result?.parameters).toEqual(enhancement);
  expect(result?.parameters.pdf?.compact).toBe(true);
  const { failure } = await run('call', 'enhance', { ...input, enhancements: [{ compact: true }] });
  expect([failure?.type, failure?.message]).toEqual([
    'BAD_USER_INPUT',
    'Unknown field enhancements[0].compact. Send it as {"enhancements":[{"pdf":{"compact":true}}]}.',
  ]);
});

it('a call without a token, and one with an unknown field, are refused', async () => {
  headers = { 'burnish-token': '' };
  expect((await run('call', 'enhance', input)).failure?.type).toBe('FORBIDDEN');
  headers = {};
  const misspelt = { ...input, enhancements: [{ upscaling: 'X2' }] };
  const { failure } = await run('call', 'enhance', misspelt);
  expect([failure?.type, failure?.message]).toEqual([
    'BAD_USER_INPUT',
    expect.stringMatching(/^Unknown field enhancements\[0\]\.upscaling\. .*upscalingFactor/),
  ]);
});

it('an estimate has the price of each enhancement and their sum, and an operation takes one enhancement', async () => {
  const enhancements = [{ mode: 'ENHANCE' }, { upscalingFactor: 'X2' }];
  const { result } = await run('call', 'estimate', { uploadId: 'upl_1', enhancements });
  expect(result).toMatchObject({ credits: 5, minCredits: 5, enhancements: [{ credits: 1 }, { credits: 4 }] });
  for (const given of [enhancements, [], { upscalingFactor: 'X2' }]) {
    const { failure } = await run('call', 'enhance', { ...input, enhancements: given });
    expect(failure?.message).toMatch(/^Field enhancements .* Send an array of 1 enhancement, such as /);
  }
});

it('the plugin gives each endpoint its token, and other services none', async () => {
  const { environment } = server;
  const echo = nexus.service('echo', { headers: nexus.operation<null, Record<string, string>>() });
  const sent = nexus.serviceHandler(echo, { headers: async ({ headers: all }) => all });
  const tokens = nexus.serviceHandler(burnishService, {
    enhance: async ({ headers: all }) => all as never,
    estimate: () => Promise.reject(new Error()),
    getEnhancement: () => Promise.reject(new Error()),
  });
  const echoing = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: 'echo',
    nexusServices: [sent, tokens],
  });
  await environment.createNexusEndpoint('echo', 'echo');
  await echoing.runUntil(async () => {
    expect((await run('callAnother', 'echo')).result).not.toHaveProperty('burnish-token');
    expect((await run('callEndpoint', 'echo', input)).result).toMatchObject({ 'burnish-token': 'token of echo' });
  });
  expect(() => new BurnishPlugin({ token: '' })).toThrow(TypeError);
});
