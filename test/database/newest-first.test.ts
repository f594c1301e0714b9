import { afterAll, expect, test } from '@jest/globals';
import type { Pool, QueryConfig } from 'pg';
import { createAuditLog } from '../../src/database/accounts/audit-log.ts';
import { createBatches } from '../../src/database/batches/batches.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { createEnhancements } from '../../src/database/uploads/enhancements.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { createDeliveries } from '../../src/database/webhooks/deliveries.ts';
import { queryPlan } from '../support/query-plan.ts';
import { openTestDatabase } from '../support/test-database.ts';
import { testVault } from '../support/test-vault.ts';

const database = await openTestDatabase();
afterAll(() => database.close());

const page = { limit: 20 };
const account = 'acc_1';

const LISTS: readonly [index: string, list: () => Promise<unknown>][] = [
  ['uploads_newest', () => createUploads(database, testVault).list(account, page)],
  [
    'uploads_newest_by_status',
    () => createUploads(database, testVault).list(account, { ...page, status: 'UPLOAD_FINISHED' }),
  ],
  ['enhancements_newest', () => createEnhancements(database).list(account, page)],
  ['deliveries_newest', () => createDeliveries(database, testVault).list(account, page)],
  ['batches_newest', () => createBatches(database, testVault).list(account, page)],
  ['audit_entries_newest', () => createAuditLog(database).list(account, page)],
  ['credit_entries_newest', () => createCreditLedger(database).lines(account, page)],
];

test.each(LISTS)('a page of the newest records comes from %s, and sorts no other record', async (index, list) => {
  const plan = await queryPlan(database, await firstQuery(list), ['seqscan', 'bitmapscan', 'sort', 'incremental_sort']);
  expect(plan).toContain(index);
  expect(plan).not.toContain('Sort');
});

/** The first query of some work, in the form of a query by drizzle. */
async function firstQuery(work: () => Promise<unknown>) {
  const { $client: client } = database.orm as unknown as { $client: Pick<Pool, 'query'> };
  const query = client.query.bind(client) as (config: QueryConfig, values?: unknown[]) => Promise<unknown>;
  const asked: { sql: string; params: unknown[] }[] = [];
  const recording = (config: QueryConfig, values: unknown[] = []): Promise<unknown> => {
    asked.push({ sql: config.text, params: values });
    return query(config, values);
  };
  Object.assign(client, { query: recording });
  try {
    await work();
  } finally {
    Object.assign(client, { query });
  }
  return { toSQL: () => asked[0]! };
}
