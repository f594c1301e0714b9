import { expect, test } from '@jest/globals';
import { startHousekeeping, tidyUp, type HousekeepingDeps } from '../../../src/api/reconcile/housekeeping.ts';
import { createIdempotencyKeys } from '../../../src/database/uploads/idempotency-keys.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';

const DAY_MS = 24 * 3_600_000;
const gateway = useGateway();
let aheadMs = 0;
const warnings: string[] = [];
const now = (): number => Date.now() + aheadMs;

function deps(given: Partial<HousekeepingDeps> = {}): HousekeepingDeps {
  const log = { warn: (_facts: unknown, message?: string) => void warnings.push(String(message)) };
  const idempotencyKeys = createIdempotencyKeys(gateway.database, now);
  const { storage, temporal } = gateway;
  return { ...gateway.records, idempotencyKeys, storage, client: temporal.client, log, now, ...given };
}

test('housekeeping deletes changes of uploads deleted a week ago and expired keys, and nothing newer', async () => {
  const [kept, deleted] = [await storedUpload(gateway), await storedUpload(gateway, { status: 'UPLOAD_DELETED' })];
  const claim = { accountId: gateway.account.id, key: 'k', operation: 'x', fingerprint: 'f', subjectId: 's' };
  await gateway.records.idempotencyKeys.claim(claim);
  const numbers = async (): Promise<number[]> =>
    Promise.all(
      [kept, deleted].map(
        async ({ accountId, id }) => (await gateway.records.changes.listSince(accountId, id, 0, 10)).length,
      ),
    );

  aheadMs = 6 * DAY_MS;
  await tidyUp(deps());
  expect(await numbers()).toEqual([1, 1]);
  aheadMs = 8 * DAY_MS;
  await tidyUp(deps());
  expect(await numbers()).toEqual([1, 0]);
  // The key is free again.
  expect((await gateway.records.idempotencyKeys.claim({ ...claim, fingerprint: 'other' })).outcome).toBe('new');
  expect(warnings).toEqual([]);
});

test('a failure in housekeeping is logged and does not stop the other tasks', async () => {
  let purged = 0;
  const broken = {
    purge: () => Promise.reject(new Error('away')),
    listSince: () => Promise.resolve([]),
  };
  const idempotencyKeys = { ...gateway.records.idempotencyKeys, purge: () => Promise.resolve((purged += 1)) };
  const stop = startHousekeeping(deps({ changes: broken, idempotencyKeys }));
  await stop();
  expect(purged).toBe(1);
  expect(warnings).toEqual(['changes of deleted uploads could not be cleared away']);
});
