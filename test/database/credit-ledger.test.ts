import { eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createCreditLedger, type CreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { append, openPeriod, planReservation, toBalance } from '../../src/database/credits/credit-movements.ts';
import type { Database } from '../../src/database/database.ts';
import { accounts } from '../../src/database/schema/accounts.ts';
import { creditEntries } from '../../src/database/schema/credits.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { afterReservation } from '../../src/database/credits/low-credits.ts';
import { allEntries, expectSoundLedger } from './ledger-soundness.ts';
import { applyToModel, movements, newModel, perform } from './ledger-model.ts';
import { addAccount, newId } from './records.ts';

const MARCH = Date.parse('2025-03-31T23:59:59.999Z');
const APRIL = Date.parse('2025-04-01T00:00:00.000Z');

describe.each(DATABASES)('the credit ledger on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let ledger: CreditLedger;
  let accountId: string;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    ledger = createCreditLedger(database);
  });
  beforeEach(async () => {
    accountId = await addAccount(database, 10);
  });
  afterAll(() => opened.close());
  const reserve = (enhancementId: string, credits: number, nowMs = MARCH) =>
    ledger.reserve({ accountId, enhancementId, credits, nowMs });
  const entries = () => allEntries(database, accountId);
  const expectSound = () => expectSoundLedger(database, accountId);

  test('grants an account its credits once a period', async () => {
    expect(await ledger.balance(accountId, MARCH)).toEqual({
      period: { key: '2025-03', start: '2025-03-01T00:00:00.000Z', end: '2025-04-01T00:00:00.000Z' },
      granted: 10,
      used: 0,
      reserved: 0,
      remaining: 10,
    });
    await Promise.all(Array.from({ length: 5 }, () => ledger.balance(accountId, APRIL)));
    expect((await entries()).map(({ kind, period, credits }) => [kind, period, credits])).toEqual([
      ['grant', '2025-03', 10],
      ['grant', '2025-04', 10],
    ]);
  });

  test('returns the rest of a reservation that is captured in part', async () => {
    const id = newId('enh');
    expect(await reserve(id, 8)).toEqual({ outcome: 'reserved', remaining: 2 });
    expect(await reserve(id, 8)).toEqual({ outcome: 'reserved', remaining: 2 });
    expect(await ledger.capture({ accountId, enhancementId: id, credits: 3, nowMs: MARCH })).toEqual({ charged: 3 });
    expect(await ledger.capture({ accountId, enhancementId: id, credits: 5, nowMs: MARCH })).toEqual({ charged: 3 });
    await ledger.release({ accountId, enhancementId: id, nowMs: MARCH });
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used: 3, reserved: 0, remaining: 7 });
    expect(await reserve(id, 8)).toEqual({ outcome: 'reserved', remaining: 7 });
    await expectSound();
  });

  test('returns the balance after a reservation, and says that a repetition repeats it', async () => {
    const order = { accountId, enhancementId: newId('enh'), credits: 4, nowMs: MARCH };
    for (const repeated of [false, true]) {
      const read = await openPeriod(database.orm, order);
      const planned = planReservation(read, order);
      await append(database.orm, planned.entries);
      const { balance, ...reserved } = afterReservation(planned, toBalance(read));
      expect(reserved).toEqual({ credits: 4, repeated });
      expect(balance).toEqual(await ledger.balance(accountId, MARCH));
    }
  });

  test('releases a reservation, and permits a late one, where late ones are not refused', async () => {
    const enhancementId = newId('enh');
    const release = () => ledger.release({ accountId, enhancementId, nowMs: MARCH }, false);
    await release();
    expect(await reserve(enhancementId, 4)).toEqual({ outcome: 'reserved', remaining: 6 });
    await release();
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used: 0, reserved: 0, remaining: 10 });
    await expectSound();
  });

  test('refuses a reservation above the balance and changes nothing', async () => {
    expect(await reserve(newId('enh'), 11)).toEqual({ outcome: 'insufficient', remaining: 10 });
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ reserved: 0, remaining: 10 });
  });

  test('refuses a late reservation and charges no late capture after a release, also of a missing reservation', async () => {
    const [released, never] = [newId('enh'), newId('enh')];
    await reserve(released, 4);
    for (const enhancementId of [released, never, released]) {
      await ledger.release({ accountId, enhancementId, nowMs: MARCH });
      expect(await reserve(enhancementId, 4)).toEqual({ outcome: 'closed', remaining: 10 });
      expect(await ledger.capture({ accountId, enhancementId, credits: 4, nowMs: MARCH })).toEqual({ charged: 0 });
    }
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used: 0, reserved: 0, remaining: 10 });
    await expectSound();
  });

  test('refuses a capture above its reservation', async () => {
    const id = newId('enh');
    const capture = () => ledger.capture({ accountId, enhancementId: id, credits: 5, nowMs: MARCH });
    await reserve(id, 4);
    await expect(capture()).rejects.toThrow(RangeError);
    await expectSound();
  });

  test('charges work with a lost reservation once, and at most the credits that are left', async () => {
    const [id, other] = [newId('enh'), newId('enh')];
    const capture = (enhancementId: string) => ledger.capture({ accountId, enhancementId, credits: 7, nowMs: MARCH });
    for (let time = 0; time < 2; time += 1) expect(await capture(id)).toEqual({ charged: 7 });
    for (let time = 0; time < 2; time += 1) expect(await capture(other)).toEqual({ charged: 3 });
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used: 10, reserved: 0, remaining: 0 });
    await expectSound();
  });

  test('counts a capture in the next period in the period of its reservation', async () => {
    const [captured, released] = [newId('enh'), newId('enh')];
    await reserve(captured, 4);
    await reserve(released, 5);
    await ledger.capture({ accountId, enhancementId: captured, credits: 4, nowMs: APRIL });
    await ledger.release({ accountId, enhancementId: released, nowMs: APRIL });
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used: 4, reserved: 0, remaining: 6 });
    expect(await ledger.balance(accountId, APRIL)).toMatchObject({ used: 0, reserved: 0, remaining: 10 });
    await expectSound();
  });

  test('holds at most two billion credits in a period, with the grant and every top-up', async () => {
    const topUp = (credits: number, reference: string) => ledger.topUp({ accountId, credits, reference, nowMs: MARCH });
    await topUp(1_999_999_980, 'first');
    await expect(topUp(11, 'second')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await topUp(10, 'second')).toEqual({ added: true, credits: 10 });
    await expect(topUp(1, 'third')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('counts a top-up once for its reference', async () => {
    const topUp = { accountId, credits: 7, reference: 'invoice 1', nowMs: MARCH };
    const added = await Promise.all(Array.from({ length: 4 }, () => ledger.topUp(topUp)));
    expect(added.filter((each) => each.added)).toHaveLength(1);
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ granted: 17, remaining: 17 });
  });

  test('applies more credits a period at once, and fewer from the next period on', async () => {
    const set = (creditsPerPeriod: number) =>
      database.orm.update(accounts).set({ creditsPerPeriod }).where(eq(accounts.id, accountId));
    await ledger.balance(accountId, MARCH);
    await set(25);
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ granted: 25 });
    await set(5);
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ granted: 25 });
    await set(25);
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ granted: 25 });
    await set(5);
    expect(await ledger.balance(accountId, APRIL)).toMatchObject({ granted: 5 });
    await expectSound();
  });

  test('does not exist for an unknown account', () =>
    expect(ledger.balance('acc_unknown', MARCH)).rejects.toMatchObject({ code: 'NOT_FOUND' }));

  test('keeps the credits of one account out of reach of another', async () => {
    const id = newId('enh');
    await reserve(id, 4);
    const other = await addAccount(database, 10);
    await expect(ledger.capture({ accountId: other, enhancementId: id, credits: 4, nowMs: MARCH })).rejects.toThrow();
    expect(await ledger.balance(other, MARCH)).toMatchObject({ used: 0, remaining: 10 });
    expect((await ledger.lines(other, { limit: 10 })).items.map(({ kind }) => kind)).toEqual(['grant']);
  });

  test('shows one line for each enhancement, with signs and the balance after it', async () => {
    const [charged, open, cancelled] = [newId('enh'), newId('enh'), newId('enh')];
    for (const id of [charged, open, cancelled]) await reserve(id, 3);
    await ledger.capture({ accountId, enhancementId: charged, credits: 2, nowMs: MARCH });
    await ledger.release({ accountId, enhancementId: cancelled, nowMs: MARCH });
    await ledger.topUp({ accountId, credits: 5, reference: 'invoice', nowMs: MARCH });
    const { items, nextCursor } = await ledger.lines(accountId, { limit: 3 });
    const older = await ledger.lines(accountId, { limit: 3, after: nextCursor! });
    const shown = [...items, ...older.items].map(({ kind, enhancementId, change, remaining, entries: own }) => ({
      of: enhancementId ?? kind,
      change,
      remaining,
      entries: own.map((each) => [each.kind, each.credits, each.change]),
    }));
    expect(shown).toEqual([
      { of: 'top_up', change: 5, remaining: 10, entries: [['top_up', 5, 5]] },
      {
        of: cancelled,
        change: 0,
        remaining: 5,
        entries: [
          ['reserve', 3, -3],
          ['release', 3, 3],
        ],
      },
      { of: open, change: -3, remaining: 5, entries: [['reserve', 3, -3]] },
      {
        of: charged,
        change: -2,
        remaining: 8,
        entries: [
          ['reserve', 3, -3],
          ['capture', 2, 0],
          ['release', 1, 1],
        ],
      },
      { of: 'grant', change: 10, remaining: 10, entries: [['grant', 10, 10]] },
    ]);
    expect(shown[0]!.remaining).toBe((await ledger.balance(accountId, MARCH)).remaining);
  });

  test('counts the balance of a line within its own month', async () => {
    const early = newId('enh');
    await reserve(early, 4);
    await ledger.balance(accountId, APRIL);
    await ledger.capture({ accountId, enhancementId: early, credits: 4, nowMs: APRIL });
    const { items } = await ledger.lines(accountId, { limit: 10 });
    expect(items.map(({ period, change, remaining }) => [period, change, remaining])).toEqual([
      ['2025-04', 10, 10],
      ['2025-03', -4, 6],
      ['2025-03', 10, 10],
    ]);
  });

  test('is paged newest first', async () => {
    for (let i = 0; i < 6; i += 1) await ledger.topUp({ accountId, credits: i, reference: `r${i}`, nowMs: MARCH });
    const seen: (string | null)[] = [];
    let after: string | undefined;
    do {
      const page = await ledger.lines(accountId, { limit: 4, ...(after === undefined ? {} : { after }) });
      seen.push(...page.items.map(({ reference }) => reference));
      after = page.nextCursor ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
  });

  test.each(['update credit_entries set credits = 0', 'delete from credit_entries', 'truncate credit_entries'])(
    'is protected by the database, which refuses %s',
    async (statement) => {
      await ledger.balance(accountId, MARCH);
      await expect(database.orm.execute(sql.raw(statement))).rejects.toMatchObject({
        cause: { message: expect.stringContaining('append-only') as unknown as string },
      });
    },
  );

  test('is protected by the database, which refuses an entry that overspends', async () => {
    await ledger.balance(accountId, MARCH);
    const entry = { accountId, period: '2025-03', kind: 'reserve' as const, enhancementId: newId('enh') };
    const insert = database.orm.insert(creditEntries).values({ ...entry, credits: 11, at: '2025-03-01T00:00:00.000Z' });
    await expect(insert).rejects.toMatchObject({
      cause: { message: expect.stringContaining('never_negative') as unknown as string },
    });
  });

  test.each(['capture', 'release', 'reserve'] as const)(
    'is protected by the database, which refuses a %s after the end of its enhancement',
    async (kind) => {
      const enhancementId = newId('enh');
      // The totals alone would permit the entry.
      await reserve(newId('enh'), 4);
      if (kind !== 'reserve') await reserve(enhancementId, 4);
      const movement = { accountId, enhancementId, nowMs: MARCH };
      await (kind === 'release' ? ledger.capture({ ...movement, credits: 4 }) : ledger.release(movement));
      const entry = { accountId, period: '2025-03', kind, enhancementId, credits: 4, at: '2025-03-01T00:00:00.000Z' };
      await expect(database.orm.insert(creditEntries).values(entry)).rejects.toMatchObject({
        cause: { constraint: 'credit_entries_settled' },
      });
      await expectSound();
    },
  );

  test('ends a reservation once, if a capture and a release come at once', async () => {
    const ids = Array.from({ length: 50 }, () => newId('enh'));
    await ledger.topUp({ accountId, credits: 90, reference: 'more', nowMs: MARCH });
    for (const id of ids) await reserve(id, 2);
    const ends = ids.map(async (enhancementId) => {
      const movement = { accountId, enhancementId, nowMs: MARCH };
      const [{ charged }] = await Promise.all([
        ledger.capture({ ...movement, credits: 2 }),
        ledger.release(movement),
        ledger.capture({ ...movement, credits: 2 }),
      ]);
      return charged;
    });
    const charged = await Promise.all(ends);
    const used = charged.reduce((sum, credits) => sum + credits, 0);
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ used, reserved: 0, remaining: 100 - used });
    await expectSound();
  });

  test('agrees with its model after any sequence of operations', async () => {
    await fc.assert(
      fc.asyncProperty(movements, async (sequence) => {
        accountId = await addAccount(database, 10);
        const model = newModel(10);
        for (const movement of sequence) {
          expect(await perform(ledger, accountId, movement)).toEqual(applyToModel(model, movement));
        }
        await expectSound();
      }),
      { numRuns: 25 },
    );
  });

  test('stays consistent under parallel operations, and a repetition has no further effect', async () => {
    await fc.assert(
      fc.asyncProperty(movements, async (sequence) => {
        accountId = await addAccount(database, 10);
        await Promise.all(sequence.map((movement) => perform(ledger, accountId, movement)));
        await expectSound();
        const before = await entries();
        for (const movement of sequence.filter(({ kind }) => kind === 'release' || kind === 'topUp')) {
          await perform(ledger, accountId, movement);
        }
        expect(await entries()).toEqual(before);
      }),
      { numRuns: 25 },
    );
  });

  test('gives the last credits to as many parallel reservations as they cover', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => reserve(newId('enh'), 3)));
    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(3);
    expect(await ledger.balance(accountId, MARCH)).toMatchObject({ reserved: 9, remaining: 1 });
  });
});
