import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Upload, Enhancement } from '@burnish/contract';
import { createChanges } from '../../src/database/changes.ts';
import type { Database } from '../../src/database/database.ts';
import { createEnhancements } from '../../src/database/uploads/enhancements.ts';
import { withoutLabels } from '../../src/domain/upload/labels.ts';
import { createUploadStarts } from '../../src/database/uploads/upload-starts.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, aFinished, anEnhancement, anUpload, MUCH_ROOM } from './records.ts';
import { testVault } from '../support/test-vault.ts';

describe.each(DATABASES)('projections on %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let accountId: string;
  let uploads: ReturnType<typeof createUploads>;
  let enhancements: ReturnType<typeof createEnhancements>;
  let changes: ReturnType<typeof createChanges>;

  beforeAll(async () => {
    opened = await open();
    database = opened.database;
    uploads = createUploads(database, testVault);
    enhancements = createEnhancements(database);
    changes = createChanges(database);
  });
  beforeEach(async () => {
    accountId = await addAccount(database);
  });
  afterAll(() => opened.close());

  test('return an upload exactly as it was written', async () => {
    const upload = anUpload(accountId, {
      file: { size: 999_999_999, sha256: 'ef'.repeat(32), mimetype: 'application/pdf' },
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      analysis: {
        totalCredits: 5,
        statistics: {
          pages: 1,
          images: 2,
          colorEligible: 1,
          resizeEligible: 1,
          credits: { color: 1, resize: 4, colorAndResize: 5 },
        },
      },
      finishedAt: '2025-03-10T12:00:02.999Z',
    });
    expect(await uploads.project(upload)).toBe(true);
    expect(await uploads.get(accountId, upload.id)).toStrictEqual(upload);
    expect(await uploads.find(upload.id)).toStrictEqual(upload);
  });

  test('return an enhancement exactly as it was written', async () => {
    const upload = anUpload(accountId);
    await uploads.project(upload);
    const enhancement = aFinished(upload, { maxCredits: 4, creditWaitMs: 7 * 86_400_000 * 30, chargedCredits: 0 });
    expect(await enhancements.project(enhancement)).toBe(true);
    const record = { ...enhancement, deletedAt: null };
    expect(await enhancements.get(accountId, enhancement.id)).toStrictEqual(record);
    expect(await enhancements.listForUpload(accountId, upload.id)).toStrictEqual([record]);
  });

  test('are part of the transaction that makes them, with the statement that was built before it', async () => {
    const [kept, undone] = [anUpload(accountId), anUpload(accountId)];
    await uploads.project(kept);
    const failed = database.orm.transaction(async (tx) => {
      const inside = createUploads({ orm: tx }, testVault);
      await inside.project(undone);
      expect((await inside.get(accountId, undone.id))?.id).toBe(undone.id);
      throw new Error('No.');
    });
    await expect(failed).rejects.toThrow('No.');
    expect(await uploads.get(accountId, undone.id)).toBeUndefined();
    expect(await uploads.get(accountId, kept.id)).toStrictEqual(kept);
  });

  test('store a missing value of a JSON column as null of the database', async () => {
    const upload = anUpload(accountId, { file: null, analysis: null });
    await uploads.project(upload);
    const { rows } = await database.orm.execute(
      sql`select file is null and analysis is null as missing from uploads where id = ${upload.id}`,
    );
    expect(rows).toEqual([{ missing: true }]);
  });

  test('return an upload with its enhancements, oldest first, each as if read alone', async () => {
    const [upload, empty] = [anUpload(accountId), anUpload(accountId)];
    await uploads.project(upload);
    await uploads.project(empty);
    const later = anEnhancement(upload, { createdAt: '2025-03-10T12:00:05.000Z' });
    const earlier = aFinished(upload, { createdAt: '2025-03-10T12:00:04.000Z' });
    for (const each of [later, earlier]) await enhancements.project(each);
    expect(await uploads.getWithEnhancements(accountId, empty.id)).toStrictEqual({ upload: empty, enhancements: [] });
    expect(await uploads.getWithEnhancements(accountId, upload.id)).toStrictEqual({
      upload,
      enhancements: [earlier, later].map((enhancement) => ({ ...enhancement, deletedAt: null })),
    });
    await uploads.project({ ...upload, revision: 2, status: 'UPLOAD_DELETED' });
    const afterwards = await uploads.getWithEnhancements(accountId, upload.id);
    expect(afterwards?.enhancements).toStrictEqual(await enhancements.listForUpload(accountId, upload.id));
    expect(afterwards?.enhancements[0]?.result).toBeNull();
  });

  test('keep the newest state of an upload, whatever the order and the repetitions', async () => {
    const order = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(order, async (revisions) => {
        const upload = anUpload(accountId, { status: 'UPLOAD_PROCESSING' });
        const applied: number[] = [];
        for (const revision of revisions) {
          if (await uploads.project({ ...upload, revision, width: revision })) applied.push(revision);
        }
        const rising = revisions.filter((revision, i) => revisions.slice(0, i).every((before) => before < revision));
        expect(applied).toEqual(rising);
        const newest = Math.max(...revisions);
        expect(await uploads.get(accountId, upload.id)).toMatchObject({ revision: newest, width: newest });
        const feed = await changes.listSince(accountId, upload.id, 0, 100);
        expect(feed.map(({ seq, revision }) => [seq, revision])).toEqual(
          rising.map((revision, i) => [i + 1, revision]),
        );
      }),
      { numRuns: 15 },
    );
  });

  test('of one enhancement that race end in the newest state', async () => {
    const upload = anUpload(accountId);
    await uploads.project(upload);
    const enhancement = anEnhancement(upload);
    await Promise.all(
      [4, 2, 5, 1, 3, 5].map((revision) =>
        enhancements.project({ ...enhancement, revision, estimatedCredits: revision }),
      ),
    );
    expect(await enhancements.get(accountId, enhancement.id)).toMatchObject({ revision: 5, estimatedCredits: 5 });
  });

  test('never move a record to another account', async () => {
    const upload = anUpload(accountId);
    await uploads.project(upload);
    const other = await addAccount(database);
    expect(await uploads.project({ ...upload, accountId: other, revision: 9 })).toBe(false);
    expect(await uploads.get(accountId, upload.id)).toStrictEqual(upload);
  });

  test('store labels and the key with the first record, and never change them', async () => {
    const labels = { reference: 'order-1', customMetadata: { text: 'x', none: null } };
    const upload = anUpload(accountId);
    const first = { ...upload, ...labels, revision: 0 };
    const start = { upload: first, enhancements: [], keyId: null, input: {} as never, claim: null, room: MUCH_ROOM };
    await createUploadStarts(database, testVault).record(start);
    const other = { ...upload, reference: 'another' };
    await uploads.project(other);
    expect(await uploads.get(accountId, upload.id)).toStrictEqual({ ...upload, ...labels });

    const enhancement = anEnhancement(upload);
    const { id: enhancementId } = enhancement;
    await enhancements.label(accountId, 'key_first', [{ enhancementId, labels }]);
    const others = { reference: 'later', customMetadata: null };
    await enhancements.label(accountId, 'key_later', [{ enhancementId, labels: others }]);
    await enhancements.project(enhancement);
    expect(await enhancements.purgeLabels(-60_000)).toBeGreaterThan(0);
    const later = { ...enhancement, revision: 2, reference: 'another' };
    await enhancements.project(later);
    expect(await enhancements.get(accountId, enhancement.id)).toStrictEqual({
      ...enhancement,
      ...labels,
      revision: 2,
      deletedAt: null,
    });
    const { rows } = await database.orm.execute(sql`select key_id from enhancements where id = ${enhancementId}`);
    expect(rows).toEqual([{ key_id: 'key_first' }]);
    const snapshots = await changes.listSince(accountId, upload.id, 0, 10);
    expect(snapshots.map(({ snapshot }) => snapshot.reference)).toEqual(snapshots.map(() => 'order-1'));
    expect(snapshots.map(({ subject }) => subject)).toEqual(['upload', 'upload', 'enhancement', 'enhancement']);
  });

  test('of one account cannot be read by another', async () => {
    const upload = anUpload(accountId);
    const enhancement = anEnhancement(upload, { status: 'AWAITING_CREDITS' });
    await uploads.project(upload);
    await enhancements.project(enhancement);
    const other = await addAccount(database);
    expect(await uploads.get(other, upload.id)).toBeUndefined();
    expect(await uploads.getWithEnhancements(other, upload.id)).toBeUndefined();
    expect((await uploads.list(other, { limit: 10 })).items).toEqual([]);
    expect(await enhancements.get(other, enhancement.id)).toBeUndefined();
    expect(await enhancements.listForUpload(other, upload.id)).toEqual([]);
    expect((await enhancements.list(other, { limit: 10 })).items).toEqual([]);
    expect(await enhancements.awaitingCredits(other)).toEqual([]);
    expect(await changes.listSince(other, upload.id, 0, 10)).toEqual([]);
  });

  test('are listed once in pages, newest first, while new ones arrive', async () => {
    const time = (i: number): string => new Date(Date.UTC(2025, 0, 1, 0, 0, 0, Math.floor(i / 4))).toISOString();
    const first = Array.from({ length: 23 }, (_, i) => anUpload(accountId, { createdAt: time(i) }));
    for (const upload of first) await uploads.project(upload);
    const seen: Upload[] = [];
    let after: string | undefined;
    do {
      const page = await uploads.list(accountId, { limit: 5, ...(after === undefined ? {} : { after }) });
      seen.push(...page.items);
      after = page.nextCursor ?? undefined;
      await uploads.project(anUpload(accountId, { createdAt: time(100 + seen.length) }));
    } while (after !== undefined);
    const expected = first.toSorted((a, b) => (`${b.createdAt} ${b.id}` < `${a.createdAt} ${a.id}` ? -1 : 1));
    expect(seen).toStrictEqual(expected);
  });

  test('can be filtered by status', async () => {
    await uploads.project(anUpload(accountId));
    const failed = anUpload(accountId, { status: 'UPLOAD_FAILED', errorCode: 'CORRUPT_FILE' });
    await uploads.project(failed);
    expect(await uploads.list(accountId, { limit: 10, status: 'UPLOAD_FAILED' })).toStrictEqual({
      items: [failed],
      nextCursor: null,
    });
  });

  test.each(['', 'x', '!!', Buffer.from('["2025-01-01T00:00:00.000Z"]').toString('base64url'), 'A'.repeat(1000)])(
    'refuse the cursor %j',
    async (after) => {
      const refusal = { code: 'BAD_USER_INPUT', field: 'after' };
      await expect(async () => uploads.list(accountId, { limit: 10, after })).rejects.toMatchObject(refusal);
      await expect(async () => enhancements.list(accountId, { limit: 10, after })).rejects.toMatchObject(refusal);
    },
  );

  test.each([0, 101, 1.5, Number.NaN])('refuse a limit of %s', async (limit) => {
    await expect(async () => uploads.list(accountId, { limit })).rejects.toMatchObject({ field: 'limit' });
  });

  test('that wait for credits are listed oldest first', async () => {
    const upload = anUpload(accountId);
    await uploads.project(upload);
    const waiting = ['10', '08', '09'].map((hour) =>
      anEnhancement(upload, { status: 'AWAITING_CREDITS', createdAt: `2025-03-10T${hour}:00:00.000Z` }),
    );
    for (const each of waiting) await enhancements.project(each);
    await enhancements.project(anEnhancement(upload));
    const listed = await enhancements.awaitingCredits(accountId);
    expect(listed.map(({ createdAt }) => createdAt.slice(11, 13))).toEqual(['08', '09', '10']);
  });

  test('offer a finished result of the same file, parameters and engine until its upload is deleted', async () => {
    const facts = { sourceSha256: 'ab'.repeat(32), fingerprint: 'f', engineVersion: '1' };
    const upload = anUpload(accountId);
    await uploads.project(upload);
    const enhancement: Enhancement = anEnhancement(upload);
    await enhancements.project(enhancement, facts);
    expect(await enhancements.findReusable({ accountId, except: 'enh_wanted', ...facts })).toBeUndefined();
    const finished = aFinished(upload, { id: enhancement.id });
    // The facts stay although this projection does not bring them
    await enhancements.project(finished);
    // A workflow carries the answer, and workflows carry no labels.
    const found = await enhancements.findReusable({ accountId, except: 'enh_wanted', ...facts });
    expect(found).toStrictEqual(withoutLabels(finished));
    expect(
      await enhancements.findReusable({ accountId, except: 'enh_wanted', ...facts, engineVersion: '2' }),
    ).toBeUndefined();
    expect(await enhancements.findReusable({ accountId, except: finished.id, ...facts })).toBeUndefined();
    const other = await addAccount(database);
    expect(await enhancements.findReusable({ accountId: other, except: 'enh_wanted', ...facts })).toBeUndefined();
    await uploads.project({ ...upload, revision: 2, status: 'UPLOAD_DELETED' });
    expect(await enhancements.findReusable({ accountId, except: 'enh_wanted', ...facts })).toBeUndefined();
  });

  test('of an enhancement without a recorded upload are refused', async () => {
    await expect(enhancements.project(anEnhancement(anUpload(accountId)))).rejects.toThrow();
  });
});
