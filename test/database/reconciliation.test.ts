import { expect, test } from '@jest/globals';
import { createReconciliation } from '../../src/database/uploads/reconciliation.ts';
import { queryPlan } from '../support/query-plan.ts';
import { openTestDatabase } from '../support/test-database.ts';

test('a sweep finds open enhancements by their index, and does not read the ended ones for each batch', async () => {
  const database = await openTestDatabase();
  try {
    const plan = await queryPlan(database, createReconciliation(database).openUploads('', 200), ['seqscan']);
    expect(plan).toContain('enhancements_open');
  } finally {
    await database.close();
  }
});
