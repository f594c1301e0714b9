import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccounts } from '../../src/database/accounts/accounts.ts';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import { createApiKeys } from '../../src/database/accounts/api-keys.ts';
import type { Database } from '../../src/database/database.ts';
import { createIdempotencyKeys } from '../../src/database/uploads/idempotency-keys.ts';
import { createInstanceSecrets } from '../../src/database/instance-secrets.ts';
import { apiKeys } from '../../src/database/schema/accounts.ts';
import { createStagedFiles } from '../../src/database/uploads/staged-files.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount } from './records.ts';
import { testVault } from '../support/test-vault.ts';

const NOON = Date.parse('2025-03-10T12:00:00.000Z');
const DAY = 86_400_000;

describe.each(DATABASES)('accounts and their keys on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let now = NOON;
  const clock = (): number => now;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
  });
  afterAll(() => opened.close());

  test('the default account is created once with its key by parallel starts', async () => {
    const accounts = createAccounts(database, testVault);
    const start = { plan: 'FREE' as const, creditsPerPeriod: 100 };
    const all = await Promise.all(Array.from({ length: 4 }, () => ensureInitialAccount(database, testVault, start)));
    const keys = all.flatMap(({ apiKey }) => apiKey ?? []);
    expect(keys).toEqual([expect.stringMatching(/^bk_[0-9A-Za-z]{43}$/)]);
    expect(new Set(all.map(({ account }) => account.id)).size).toBe(1);
    const { account } = all[0]!;
    const { webhookSecret: sealed, ...known } = (await accounts.get(account.id))!;
    expect(account).toStrictEqual({ ...known, webhookSecret: account.webhookSecret });
    expect(sealed).toMatch(/^sealed\.1\./);
    expect(account).toMatchObject({
      retentionDays: 30,
      webhookSecret: expect.stringMatching(/^whsec_/) as unknown as string,
    });
    expect(await createApiKeys(database).authenticate(keys[0]!)).toMatchObject({ account: { id: account.id } });

    const chosen = await ensureInitialAccount(database, testVault, {
      plan: 'BUSINESS',
      creditsPerPeriod: 200,
      apiKey: 'chosen-by-operator',
    });
    expect(chosen).toEqual({
      account: { ...account, plan: 'BUSINESS', creditsPerPeriod: 200 },
      apiKey: null,
      isNew: false,
    });
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    await ensureInitialAccount(database, testVault, {
      plan: 'BUSINESS',
      creditsPerPeriod: 200,
      apiKey: 'chosen-by-operator',
    });
    expect(await createApiKeys(database).list(account.id, { includeInternal: true })).toHaveLength(2);
    expect(await createApiKeys(database).authenticate('chosen-by-operator')).toMatchObject({
      account: { id: account.id },
    });
  });

  test('the retention accepts 1 to 365 days', async () => {
    const accounts = createAccounts(database, testVault);
    const id = await addAccount(database);
    expect(await accounts.updateRetention(id, 365)).toMatchObject({ id, retentionDays: 365 });
    for (const days of [0, 366, 1.5]) {
      await expect(accounts.updateRetention(id, days)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'days' });
    }
    await expect(accounts.updateRetention('acc_unknown', 5)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a key is valid until its own account deletes it, and is stored as a hash', async () => {
    const keys = createApiKeys(database);
    const accountId = await addAccount(database);
    const { key, apiKey } = await keys.create(accountId, 'laptop');
    expect(await keys.authenticate(key)).toMatchObject({ account: { id: accountId }, keyId: apiKey.id });
    expect(await keys.authenticate(`${key}x`)).toBeUndefined();
    expect(await keys.authenticate('x'.repeat(1_000_000))).toBeUndefined();
    const [row] = await database.orm.select().from(apiKeys).where(eq(apiKeys.id, apiKey.id));
    expect(JSON.stringify(row)).not.toContain(key);
    expect(row!.prefix).toBe(key.slice(0, 8));
    expect(await keys.remove(await addAccount(database), apiKey.id)).toBe(false);
    expect(await keys.remove(accountId, apiKey.id)).toBe(true);
    expect(await keys.authenticate(key)).toBeUndefined();
  });

  test('the last use of a key is recorded at most once a minute', async () => {
    const keys = createApiKeys(database, clock);
    const accountId = await addAccount(database);
    const { key } = await keys.create(accountId, 'laptop');
    const usedAt = async () => (await keys.list(accountId, { includeInternal: true }))[0]!.lastUsedAt;
    expect(await usedAt()).toBeNull();
    await keys.authenticate(key);
    now = NOON + 59_000;
    await keys.authenticate(key);
    expect(await usedAt()).toBe('2025-03-10T12:00:00.000Z');
    now = NOON + 61_000;
    await keys.authenticate(key);
    expect(await usedAt()).toBe('2025-03-10T12:01:01.000Z');
    now = NOON;
  });

  test('of parallel equal requests under one idempotency key, one is new and all get its subject', async () => {
    const keys = createIdempotencyKeys(database, clock);
    const accountId = await addAccount(database);
    const claim = (subjectId: string, fingerprint = 'f', operation = 'createUpload') =>
      keys.claim({ accountId, key: 'k', operation, fingerprint, subjectId });
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((subjectId) => claim(subjectId)));
    expect(all.filter(({ outcome }) => outcome === 'new')).toHaveLength(1);
    expect(all.filter(({ outcome }) => outcome === 'same')).toHaveLength(3);
    const { subjectId } = all.find(({ outcome }) => outcome === 'new')!;
    expect(new Set(all.map((each) => each.subjectId))).toEqual(new Set([subjectId]));
    expect(await claim('e', 'another request')).toEqual({ outcome: 'different', subjectId });
    expect(await claim('e', 'f', 'another operation')).toEqual({ outcome: 'different', subjectId });
    const other = await addAccount(database);
    const theirs = { accountId: other, key: 'k', operation: 'createUpload', fingerprint: 'f', subjectId: 'z' };
    expect(await keys.claim(theirs)).toEqual({ outcome: 'new', subjectId: 'z' });
    now = NOON + DAY;
    expect(await claim('later', 'g')).toEqual({ outcome: 'new', subjectId: 'later' });
    expect(await keys.purge()).toBe(1);
    now = NOON;
  });

  test('staged files are listed by age until they are removed', async () => {
    const files = createStagedFiles(database, clock);
    await files.add('upl_1', 'key 1');
    now = NOON + 1000;
    await files.add('upl_2', 'key 2');
    now = NOON + 3000;
    expect((await files.olderThan(2500)).map(({ objectKey }) => objectKey)).toEqual(['key 1']);
    expect((await files.olderThan(500)).map(({ objectKey }) => objectKey)).toEqual(['key 1', 'key 2']);
    await files.remove('upl_1');
    expect((await files.olderThan(500)).map(({ uploadId }) => uploadId)).toEqual(['upl_2']);
    now = NOON;
  });

  test('an instance secret is created once and differs by name', async () => {
    const secrets = createInstanceSecrets(database, testVault);
    const all = await Promise.all(Array.from({ length: 4 }, () => secrets.get('signing')));
    expect(all[0]).toHaveLength(32);
    for (const each of all) expect(each).toEqual(all[0]);
    expect(await secrets.get('other')).not.toEqual(all[0]);
  });
});
