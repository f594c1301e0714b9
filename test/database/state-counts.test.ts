import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import type { Database } from '../../src/database/database.ts';
import { createStateCounts } from '../../src/database/state-counts.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { anUpload } from './records.ts';
import { testVault } from '../support/test-vault.ts';

describe.each(DATABASES)('the state counts in %s', (_, open) => {
  let opened: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    opened = await open();
    ({ database } = opened);
  });
  afterAll(() => opened.close());

  test('are grouped by status, with the oldest record of each, and credits of the present period only', async () => {
    const { account } = await ensureInitialAccount(database, testVault, { plan: 'FREE', creditsPerPeriod: 50 });
    const ledger = createCreditLedger(database);
    const counts = createStateCounts(database);
    const nowMs = Date.parse('2030-05-15T12:00:00.000Z');
    expect(await counts.uploads()).toContainEqual({ status: 'UPLOAD_PENDING', count: 0, oldestMs: null });
    expect(await counts.credits(nowMs)).toEqual({ granted: 0, toppedUp: 0, reserved: 0, used: 0 });

    const uploads = createUploads(database, testVault);
    for (const createdAt of ['2030-05-15T11:00:00.123Z', '2030-05-15T10:00:00.456Z']) {
      await uploads.project({ ...anUpload(account.id), status: 'UPLOAD_PENDING', createdAt });
    }
    const movement = { accountId: account.id, enhancementId: 'enh_1', credits: 7 };
    await ledger.reserve({ ...movement, nowMs });
    await ledger.reserve({ ...movement, enhancementId: 'enh_2', nowMs: Date.parse('2030-04-15T12:00:00.000Z') });
    await ledger.topUp({ accountId: account.id, credits: 9, reference: 'a', nowMs });
    const oldestMs = Date.parse('2030-05-15T10:00:00.456Z');
    expect(await counts.uploads()).toContainEqual({ status: 'UPLOAD_PENDING', count: 2, oldestMs });
    expect(await counts.enhancements()).toHaveLength(7);
    expect(await counts.credits(nowMs)).toEqual({ granted: 50, toppedUp: 9, reserved: 7, used: 0 });
  });
});
