import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createLeases } from '../../src/database/leases.ts';
import type { Leases } from '../../src/database/leases.ts';
import { leases as table } from '../../src/database/schema/upload-starts.ts';
import { DATABASES } from './databases.ts';
import type { TestDatabase } from './databases.ts';

const LEASE_MS = 40_000;

describe.each(DATABASES)('leases in %s', (_, open) => {
  let db: TestDatabase;
  let leases: Leases;
  let nowMs = Date.parse('2026-01-01T00:00:00.000Z');

  beforeAll(async () => {
    db = await open();
    leases = createLeases(db.database, () => nowMs);
  });
  beforeEach(() => db.database.orm.delete(table));
  afterAll(() => db.close());

  const take = (holder: string, name = 'job'): Promise<boolean> => leases.take(name, holder, LEASE_MS);

  test('of ten processes that ask at once, one gets the lease', async () => {
    const holders = Array.from({ length: 10 }, (_each, index) => `process ${index}`);
    const taken = await Promise.all(holders.map((holder) => take(holder)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('a lease is refused to others until it expires', async () => {
    expect(await take('first')).toBe(true);
    nowMs += LEASE_MS - 1;
    expect(await take('second')).toBe(false);
    nowMs += 1;
    expect(await take('second')).toBe(true);
    expect(await take('first')).toBe(false);
  });

  test('a renewal moves the end of a lease', async () => {
    await take('first');
    nowMs += LEASE_MS / 2;
    expect(await take('first')).toBe(true);
    nowMs += LEASE_MS / 2;
    expect(await take('second')).toBe(false);
    nowMs += LEASE_MS / 2;
    expect(await take('second')).toBe(true);
  });

  test('a released lease is free at once', async () => {
    await take('first');
    await leases.release('job', 'first');
    expect(await take('second')).toBe(true);
  });

  test('a process cannot release the lease of another', async () => {
    await take('first');
    await leases.release('job', 'second');
    expect(await take('second')).toBe(false);
  });

  test('leases of different names know nothing of each other', async () => {
    await take('first', 'one job');
    await take('first', 'another job');
    await leases.release('another job', 'first');
    expect(await take('second', 'another job')).toBe(true);
    expect(await take('second', 'one job')).toBe(false);
  });
});
