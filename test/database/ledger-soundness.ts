import { asc, eq } from 'drizzle-orm';
import { expect } from '@jest/globals';
import type { Database } from '../../src/database/database.ts';
import { creditEntries, creditTotals } from '../../src/database/schema/credits.ts';

export function allEntries({ orm }: Database, accountId: string) {
  return orm.select().from(creditEntries).where(eq(creditEntries.accountId, accountId)).orderBy(asc(creditEntries.seq));
}

/** What must hold after whatever happened: totals are the sums of the entries, nothing is negative, each kind once. */
export async function expectSoundLedger(database: Database, accountId: string): Promise<void> {
  const all = await allEntries(database, accountId);
  const sum = (period: string, kind: string): number =>
    all.filter((e) => e.period === period && e.kind === kind).reduce((total, e) => total + e.credits, 0);
  const totals = await database.orm.select().from(creditTotals).where(eq(creditTotals.accountId, accountId));
  expect(new Set(totals.map(({ period }) => period))).toEqual(new Set(all.map(({ period }) => period)));
  for (const { period, grants, topUps, used, reserved } of totals) {
    expect({ grants, topUps, used }).toEqual({
      grants: sum(period, 'grant'),
      topUps: sum(period, 'top_up'),
      used: sum(period, 'capture'),
    });
    expect(reserved).toBe(sum(period, 'reserve') - sum(period, 'capture') - sum(period, 'release'));
    expect(Math.min(reserved, grants + topUps - used - reserved)).toBeGreaterThanOrEqual(0);
  }
  const once = all.filter((e) => e.enhancementId !== null).map((e) => `${e.enhancementId} ${e.kind}`);
  expect(new Set(once).size).toBe(once.length);
  for (const capture of all.filter(({ kind }) => kind === 'capture')) {
    const reservation = all.find((e) => e.enhancementId === capture.enhancementId && e.kind === 'reserve');
    expect(capture.period).toBe(reservation?.period);
  }
}
