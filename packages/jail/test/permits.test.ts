import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPermits, type Permits } from '../src/permits.ts';

/** Requests for permits, by tenant, and the order in which they got one. */
function acquiring(permits: Permits) {
  const order: string[] = [];
  const acquire = (tenant: string, signal?: AbortSignal): Promise<unknown> =>
    permits.acquire(tenant, signal).then(() => order.push(tenant));
  return { order, acquire };
}

test('tenants get permits in turn, and each in the order of its requests', async () => {
  const permits = createPermits(1);
  const { order, acquire } = acquiring(permits);
  await acquire('busy');
  const ending = new AbortController();
  const impatient = acquire('leaves', ending.signal).catch((error: unknown) => error);
  const entries = [...Array.from({ length: 4 }, () => acquire('busy')), acquire('calm'), acquire('calm')];
  ending.abort('Enough.');
  for (let left = entries.length; left > 0; left -= 1) {
    permits.release(order.at(-1)!);
    await setImmediate();
  }
  await Promise.all(entries);
  expect(order).toEqual(['busy', 'busy', 'calm', 'busy', 'calm', 'busy', 'busy']);
  expect(await impatient).toBe('Enough.');
});

test('a tenant with all the permits that it may have leaves one free for another tenant', async () => {
  const permits = createPermits(3, 2);
  const { order, acquire } = acquiring(permits);
  const entries = Array.from({ length: 4 }, () => acquire('busy'));
  await setImmediate();
  expect(order).toEqual(['busy', 'busy']);
  await acquire('calm');
  // Its permit goes to nobody else than a third tenant.
  permits.release('calm');
  await setImmediate();
  expect(order).toEqual(['busy', 'busy', 'calm']);
  for (const held of ['busy', 'busy', 'busy', 'busy']) {
    permits.release(held);
    await setImmediate();
  }
  await Promise.all(entries);
  expect(order).toEqual(['busy', 'busy', 'calm', 'busy', 'busy']);
  await Promise.all([acquire('calm'), acquire('calm'), acquire('other')]);
});
