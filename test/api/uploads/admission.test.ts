import { request } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createAdmission, type Admission } from '../../../src/api/trouble/admission.ts';
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
    const admission = createAdmission({ uploadsAtOnce: 10, placeWaitMs: 50 }, () => nowMs);
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
