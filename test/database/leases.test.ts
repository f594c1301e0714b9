import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createLeases, type Leases } from '../../src/database/leases.ts';
import { leases as table } from '../../src/database/schema/upload-starts.ts';
import { DATABASES, type TestDatabase } from './databases.ts';

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

  test('admit one of ten processes that request at once', async () => {
    const holders = Array.from({ length: 10 }, (_each, index) => `process ${index}`);
    const taken = await Promise.all(holders.map((holder) => take(holder)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  test('are refused to others until they expire', async () => {
    expect(await take('first')).toBe(true);
    nowMs += LEASE_MS - 1;
    expect(await take('second')).toBe(false);
    nowMs += 1;
    expect(await take('second')).toBe(true);
    expect(await take('first')).toBe(false);
  });

  test('last longer after a renewal', async () => {
    await take('first');
    nowMs += LEASE_MS / 2;
    expect(await take('first')).toBe(true);
    nowMs += LEASE_MS / 2;
    expect(await take('second')).toBe(false);
    nowMs += LEASE_MS / 2;
    expect(await take('second')).toBe(true);
  });

  test('are free at once after their release', async () => {
    await take('first');
    await leases.release('job', 'first');
    expect(await take('second')).toBe(true);
  });

  test('can be released only by their own process', async () => {
    await take('first');
    await leases.release('job', 'second');
    expect(await take('second')).toBe(false);
  });

  test('of different names are independent', async () => {
    await take('first', 'one job');
    await take('first', 'another job');
    await leases.release('another job', 'first');
    expect(await take('second', 'another job')).toBe(true);
    expect(await take('second', 'one job')).toBe(false);
  });
});
