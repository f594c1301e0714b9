import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createAcceptQueue, createAdmission, type Admission } from '../../../src/api/trouble/admission.ts';
import { Unavailable } from '../../../src/api/trouble/unavailable.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { poll } from '../../support/poll.ts';

const LIMITS = { uploadsAtOnce: 2, placeWaitMs: 50 };

describe('the limit of parallel uploads', () => {
  function held(admission: Admission): { done: Promise<string>; end: () => void } {
    let end = (): void => undefined;
    const until = new Promise<void>((resolve) => (end = resolve));
    return { done: admission.run(() => until.then(() => 'done')), end };
  }

  test('passes a free slot to the next waiting upload, and ends a wait after its timeout', async () => {
    const admission = createAdmission(LIMITS);
    const [first, second] = [held(admission), held(admission)];
    const third = admission.run(async () => 'third');
    first.end();
    expect(await third).toBe('third');
    const fourth = held(admission);
    await expect(admission.run(async () => 'never')).rejects.toMatchObject({ code: 'UNAVAILABLE', part: 'gateway' });
    second.end();
    fourth.end();
    expect(await Promise.all([first.done, second.done, fourth.done])).toEqual(['done', 'done', 'done']);
  });

  test('refuses an upload if as many wait as there are slots', async () => {
    const admission = createAdmission({ ...LIMITS, placeWaitMs: 5_000 });
    const taken = [held(admission), held(admission), held(admission), held(admission)];
    await expect(admission.run(async () => 'never')).rejects.toMatchObject({ part: 'gateway' });
    for (const { end } of taken) end();
    await Promise.all(taken.map(({ done }) => done));
  });

  test('refuses uploads after three failures of a part in a row, and probes the part after two seconds', async () => {
    let nowMs = 0;
    let calls = 0;
    const admission = createAdmission({ uploadsAtOnce: 10, placeWaitMs: 50 }, undefined, () => nowMs);
    const fail = async (): Promise<never> => {
      calls += 1;
      throw new Unavailable('database');
    };
    for (let i = 0; i < 5; i += 1) await expect(admission.run(fail)).rejects.toMatchObject({ part: 'database' });
    expect(calls).toBe(3);
    nowMs = 2_000;
    const attempts = [1, 2, 3].map(() => admission.run(fail).catch(() => undefined));
    await Promise.all(attempts);
    expect(calls).toBe(4);
    nowMs = 4_000;
    expect(await admission.run(async () => 'back')).toBe('back');
    expect(await admission.run(async () => 'open')).toBe('open');
  });
});

describe('the connection limit in a burst', () => {
  const limits = { uploadsAtOnce: 20, placeWaitMs: 20 };
  let connections = 0;
  let ends: (() => void)[];
  let admission: Admission;

  beforeEach(() => {
    connections = 0;
    ends = [];
    admission = createAdmission(limits, { inARow: () => connections });
  });

  /** @returns how many of so many uploads are taken in */
  async function takenOf(count: number): Promise<number> {
    const before = ends.length;
    const hold = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
    for (let i = 0; i < count; i += 1) void admission.run(hold).catch(() => undefined);
    await delay(2 * limits.placeWaitMs);
    return ends.length - before;
  }

  async function endAll(): Promise<void> {
    for (const end of ends.splice(0)) end();
    await delay(0);
  }

  test('admits twice as many connections as parallel uploads', async () => {
    connections = 40;
    expect(await takenOf(30)).toBe(20);
  });

  test('admits eight at once beyond that, and rises with each finished upload', async () => {
    connections = 41;
    expect(await takenOf(30)).toBe(8);
    await endAll();
    expect(await takenOf(30)).toBe(8);
    connections = 0;
    await endAll();
    expect(await takenOf(30)).toBe(16);
    await endAll();
    expect(await takenOf(30)).toBe(20);
  });
});

describe('the accept queue', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('counts connections until a turn of the event loop accepts none', async () => {
    const queue = createAcceptQueue();
    for (let i = 1; i <= 5; i += 1) {
      queue.taken();
      queue.taken();
      expect(queue.inARow()).toBe(2 * i);
      await turn();
    }
    await turn();
    await turn();
    expect(queue.inARow()).toBe(0);
    queue.taken();
    expect(queue.inARow()).toBe(1);
  });
});

describe('a gateway at its limit of parallel uploads', () => {
  let gateway: TestGateway | undefined;
  afterEach(async () => await gateway?.[Symbol.asyncDispose]());

  test('refuses the next upload within a second, before its body arrives, and recovers afterwards', async () => {
    gateway = await testGateway({ limits: { uploadsAtOnce: 1, placeWaitMs: 100 } });
    const photo = await jpeg();
    // Its body does not come to an end yet.
    const headers = { 'x-api-key': gateway.key, 'Content-Type': 'image/jpeg', 'Content-Length': photo.byteLength };
    const slow = request(`${gateway.url}/v1/uploads`, { method: 'POST', headers });
    const answered = new Promise<number>((resolve, reject) => {
      slow.once('response', (response) => resolve(response.resume().statusCode!));
      slow.once('error', reject);
    });
    slow.write(photo.subarray(0, 20_000));
    const stored = async (): Promise<number> => (await gateway!.records.stagedFiles.olderThan(-1000)).length;
    await poll(stored).toBe(1);

    const startedAt = performance.now();
    const init = { method: 'POST', headers: { 'Content-Type': 'image/jpeg' }, body: new Uint8Array(photo) };
    const refused = await gateway.fetch('/v1/uploads', init);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect([refused.status, (await refused.json()).code, refused.headers.get('retry-after')]).toEqual([
      503,
      'UNAVAILABLE',
      '2',
    ]);
    expect(await stored()).toBe(1);
    expect([refused.headers.get('idempotency-key'), refused.headers.get('x-content-type-options')]).toEqual([
      expect.any(String),
      'nosniff',
    ]);
    // Nothing was looked up for it, and one line tells of it.
    const id = refused.headers.get('x-request-id')!;
    const told = () =>
      gateway!
        .logged()
        .split('\n')
        .filter((line) => line.includes(id))
        .map((line) => JSON.parse(line) as object);
    await poll(told).toHaveLength(1);
    expect(told()[0]).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(told()[0]).not.toHaveProperty('accountId');
    slow.end(photo.subarray(20_000));
    expect(await answered).toBe(202);
    expect((await gateway.fetch('/v1/uploads', init)).status).toBe(202);
    expect(gateway.temporal.starts).toHaveLength(2);
  });
});
