import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Enhancement, Upload } from '@burnish/contract';
import { createAccountStorage } from '../../src/database/accounts/account-storage.ts';
import { createAccounts } from '../../src/database/accounts/accounts.ts';
import type { Database } from '../../src/database/database.ts';
import { createLifecycleSteps, type LifecycleSteps } from '../../src/database/uploads/lifecycle-steps.ts';
import { createStoredFiles } from '../../src/database/uploads/stored-files.ts';
import { createUploadStarts, type StartOutcome, type UploadStarts } from '../../src/database/uploads/upload-starts.ts';
import { testVault } from '../support/test-vault.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, aFinished, anEnhancement, anUpload, MUCH_ROOM } from './records.ts';

const MB = 1_000_000;

describe.each(DATABASES)('stored bytes on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let accountId: string;
  let starts: UploadStarts;
  let steps: LifecycleSteps;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    starts = createUploadStarts(database, testVault);
    steps = createLifecycleSteps(database, testVault);
  });
  beforeEach(async () => {
    accountId = await addAccount(database);
  });
  afterAll(() => opened.close());

  const stored = async (id = accountId): Promise<number> =>
    (await createAccountStorage(database).bytes([id])).get(id) ?? 0;

  const file = (size: number) => ({ size, sha256: 'ab'.repeat(32), mimetype: 'image/jpeg' as const });
  const begun = (given: Partial<Upload>, of = accountId): Upload =>
    anUpload(of, { revision: 0, status: 'UPLOAD_PROCESSING', ...given });
  const start = (upload: Upload, expectedBytes: number | null): Promise<StartOutcome> =>
    starts.record({
      upload: upload as never,
      enhancements: [],
      keyId: null,
      input: {} as never,
      claim: null,
      room: MUCH_ROOM,
      expectedBytes,
    });
  const started = async (size: number, of = accountId): Promise<Upload> => {
    const upload = begun({ file: file(size) }, of);
    await start(upload, size);
    return upload;
  };
  const record = (upload: Upload): Promise<unknown> => steps.recordUpload({ upload, sentence: '', announce: null });
  const enhance = (enhancement: Enhancement): Promise<unknown> =>
    steps.recordEnhancement({ enhancement, facts: null, sentence: '', settle: null, nowMs: 0, announce: null });
  const bound = (bytes: number | null): Promise<unknown> =>
    createAccounts(database, testVault).update(accountId, { maxStoredBytes: bytes });
  const result = (size: number) => ({ result: { ...aFinished(begun({})).result!, size } });
  const refused = { code: 'STORAGE_LIMIT', retryable: false };

  test('only files that fit together are accepted, and other accounts are free of the bound', async () => {
    await bound(25 * MB);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => started(10 * MB)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual(
      Array(6).fill(expect.objectContaining({ reason: expect.objectContaining(refused) })),
    );
    expect(await stored()).toBe(20 * MB);
    await started(10 * MB, await addAccount(database));
    // What fits exactly still fits.
    await started(5 * MB);
    await expect(started(1)).rejects.toMatchObject({
      ...refused,
      message: 'The account stores 25,000,000 of at most 25,000,000 bytes, and the file does not fit.',
    });
  });

  test('a declared file takes its bytes from the start, once, until its upload has it or fails', async () => {
    await bound(10 * MB);
    const upload = begun({ status: 'UPLOAD_PENDING', objectKey: null, file: null });
    await start(upload, 6 * MB);
    expect(await start(upload, 6 * MB)).toEqual({ outcome: 'known' });
    expect(await stored()).toBe(6 * MB);
    const arrived = {
      ...upload,
      revision: 1,
      status: 'UPLOAD_PROCESSING',
      objectKey: 'k',
      file: file(6 * MB),
    } as const;
    await record(arrived);
    await record(arrived);
    expect(await stored()).toBe(6 * MB);
    await record({ ...arrived, revision: 2, status: 'UPLOAD_FAILED', objectKey: null });
    expect(await stored()).toBe(0);
  });

  test('a file of unknown size asks for its bytes when it has arrived, and repetitions count once', async () => {
    await bound(10 * MB);
    const storage = createAccountStorage(database);
    const [first, second] = [begun({ objectKey: null, file: null }), begun({ objectKey: null, file: null })];
    await Promise.all([start(first, null), start(second, null)]);
    const asked = await Promise.allSettled([storage.expect(first.id, 6 * MB), storage.expect(second.id, 6 * MB)]);
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await stored()).toBe(6 * MB);
    const [winner] = asked[0].status === 'fulfilled' ? [first] : [second];
    await storage.expect(winner.id, 6 * MB);
    expect(await stored()).toBe(6 * MB);
  });

  test('a result counts, and neither it nor a lowered bound fails a record; a deletion frees both', async () => {
    await bound(10 * MB);
    const upload = await started(9 * MB);
    const enhancement = aFinished(upload, result(20 * MB));
    await Promise.all([enhance(enhancement), enhance(enhancement)]);
    expect(await stored()).toBe(29 * MB);
    await bound(1 * MB);
    await record({ ...upload, revision: 1, status: 'UPLOAD_FINISHED' });
    await expect(started(1)).rejects.toMatchObject(refused);
    const deleted = { ...upload, revision: 2, status: 'UPLOAD_DELETED', objectKey: null } as const;
    await Promise.all([record(deleted), enhance(aFinished(upload, result(3 * MB))), record(deleted)]);
    expect(await stored()).toBe(0);
    await started(1 * MB);
  });

  test('a withdrawn start frees its bytes', async () => {
    const upload = await started(3 * MB);
    await starts.refuse(upload.id, true);
    expect(await starts.withdraw(upload.id)).toBe(true);
    expect(await stored()).toBe(0);
  });

  test('the count is the sum of the files after any steps, repeated and at once', async () => {
    const size = fc.integer({ min: 1, max: 1_000 });
    const step = fc.record({
      kind: fc.constantFrom('start', 'finish', 'fail', 'delete', 'enhance', 'result', 'expect'),
      upload: fc.nat(3),
      enhancement: fc.nat(2),
      revision: fc.nat(9),
      size,
      times: fc.integer({ min: 1, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { maxLength: 4 }), { maxLength: 8 }), async (rounds) => {
        const of = await addAccount(database);
        const uploads = await Promise.all(Array.from({ length: 4 }, () => started(100, of)));
        const made = uploads.map((upload) => Array.from({ length: 3 }, () => anEnhancement(upload)));
        const take = ({
          kind,
          upload: at,
          enhancement,
          revision,
          size: bytes,
        }: (typeof rounds)[0][0]): Promise<unknown> => {
          const upload = uploads[at]!;
          const each = made[at]![enhancement]!;
          if (kind === 'start') return start(upload, bytes);
          if (kind === 'expect') return createAccountStorage(database).expect(upload.id, bytes);
          if (kind === 'enhance') return enhance({ ...each, revision });
          if (kind === 'result') return enhance({ ...aFinished(upload, result(bytes)), id: each.id });
          if (kind === 'finish') return record({ ...upload, revision, status: 'UPLOAD_FINISHED', file: file(bytes) });
          if (kind === 'fail') return record({ ...upload, revision, status: 'UPLOAD_FAILED', objectKey: null });
          return record({ ...upload, revision, status: 'UPLOAD_DELETED', objectKey: null });
        };
        for (const round of rounds)
          await Promise.all(round.flatMap((one) => Array.from({ length: one.times }, () => take(one))));
        const { files } = await createStoredFiles(database).list(uploads.map(({ id }) => id).sort()[0], 1_000_000);
        const expected = files.filter((each) => each.accountId === of).reduce((sum, each) => sum + each.size, 0);
        expect(await stored(of)).toBe(expected);
      }),
      { numRuns: 40 },
    );
    // Across all accounts of this file, too.
    const { rows } = await database.orm.execute<{ n: string }>(
      sql`select count(*) as n from account_storage where bytes < 0`,
    );
    expect(Number(rows[0]!.n)).toBe(0);
  });
});
