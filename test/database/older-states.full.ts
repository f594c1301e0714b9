import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newDestination, type Enhancement, type Upload } from '@burnish/contract';
import { createChanges } from '../../src/database/changes.ts';
import { createCreditLedger } from '../../src/database/credits/credit-ledger.ts';
import { createEnhancements } from '../../src/database/uploads/enhancements.ts';
import { createLifecycleSteps } from '../../src/database/uploads/lifecycle-steps.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { addAccount, aFinished, anEnhancement, anUpload } from './records.ts';
import { testVault } from '../support/test-vault.ts';

const NOW = Date.parse('2025-03-10T12:00:00.000Z');
const facts = { sourceSha256: 'ab'.repeat(32), fingerprint: 'print', engineVersion: 'v' };

describe.each(DATABASES)('a workflow that is older than its records, on %s', (_name, open) => {
  let opened: TestDatabase;
  let accountId: string;
  let upload: Upload;
  const records = () => ({
    uploads: createUploads(opened.database, testVault),
    enhancements: createEnhancements(opened.database),
    changes: createChanges(opened.database),
    ledger: createCreditLedger(opened.database),
    steps: createLifecycleSteps(opened.database, testVault, () => NOW),
  });
  const read = async ({ id }: Pick<Enhancement, 'id'>): Promise<Enhancement> =>
    (await records().enhancements.get(accountId, id))!;

  /** Ends an enhancement as its workflow does, with a charge of 4 credits. */
  function finish(enhancement: Enhancement) {
    const step = { enhancement, facts, sentence: 'Finished.', settle: { capture: 4 }, nowMs: NOW, announce: null };
    return records().steps.recordEnhancement(step);
  }
  const reserve = ({ id: enhancementId }: Enhancement) =>
    records().ledger.reserve({ accountId, enhancementId, credits: 4, nowMs: NOW });

  beforeAll(async () => {
    opened = await open();
  });
  beforeEach(async () => {
    accountId = await addAccount(opened.database);
    upload = anUpload(accountId);
    await records().uploads.project(upload);
  });
  afterAll(() => opened.close());

  test('writes the end of an enhancement with a lower revision than the record', async () => {
    const waiting = anEnhancement(upload, { revision: 6, status: 'PROCESSING', waitingFor: 'storage' });
    await records().enhancements.project(waiting);
    await reserve(waiting);
    await finish(aFinished(upload, { id: waiting.id, revision: 4, chargedCredits: 4 }));
    expect(await read(waiting)).toMatchObject({ status: 'FINISHED', revision: 7, waitingFor: null, chargedCredits: 4 });
    const feed = await records().changes.listSince(accountId, upload.id, 0, 10);
    expect(feed.at(-1)).toMatchObject({ revision: 7, snapshot: { status: 'FINISHED', revision: 7 } });
  });

  test('never replaces the end of an enhancement, whatever its revision', async () => {
    const finished = aFinished(upload, { revision: 5 });
    await records().enhancements.project(finished);
    for (const status of ['PROCESSING', 'AWAITING_APPROVAL', 'ERROR'] as const)
      expect(await records().enhancements.project({ ...finished, revision: 9, status, result: null })).toBe(false);
    expect(await read(finished)).toStrictEqual({ ...finished, deletedAt: null });
  });

  test('cannot charge an enhancement that was cancelled, and the record shows what the ledger says', async () => {
    const enhancement = anEnhancement(upload, { status: 'PROCESSING' });
    await records().enhancements.project(enhancement);
    await reserve(enhancement);
    await records().ledger.release({ accountId, enhancementId: enhancement.id, nowMs: NOW });
    await finish(aFinished(upload, { id: enhancement.id, revision: 2, chargedCredits: 4 }));
    expect(await read(enhancement)).toMatchObject({ status: 'FINISHED', chargedCredits: 0 });
    expect(await records().ledger.balance(accountId, NOW)).toMatchObject({ used: 0, reserved: 0 });
  });

  test('never returns an upload to an earlier stage, and writes a later one with a lower revision', async () => {
    const { uploads } = records();
    const waiting = anUpload(accountId, { revision: 6, status: 'UPLOAD_PROCESSING', waitingFor: 'storage' });
    await uploads.project(waiting);
    expect(await uploads.project({ ...waiting, revision: 9, status: 'UPLOAD_PENDING' })).toBe(false);
    expect(await uploads.project({ ...waiting, revision: 3, status: 'UPLOAD_FINISHED', waitingFor: null })).toBe(true);
    expect(await uploads.find(waiting.id)).toMatchObject({ revision: 7, status: 'UPLOAD_FINISHED', waitingFor: null });
    expect(await uploads.project({ ...waiting, revision: 2, status: 'UPLOAD_DELETED' })).toBe(true);
    expect(await uploads.project({ ...waiting, revision: 99, status: 'UPLOAD_FINISHED' })).toBe(false);
    expect(await uploads.find(waiting.id)).toMatchObject({ revision: 8, status: 'UPLOAD_DELETED' });
  });

  test('cancels with its upload each open enhancement that it does not know, and tells the owner once', async () => {
    const { enhancements, ledger, steps } = records();
    const destination = newDestination(
      { url: 'https://example.com/put' },
      { uploadId: upload.id, enhancementId: '', reference: null },
    );
    const unknown = anEnhancement(upload, { revision: 3, status: 'PROCESSING', destination });
    const finished = aFinished(upload);
    for (const each of [unknown, finished]) await enhancements.project(each);
    await reserve(unknown);
    const deleted: Upload = { ...upload, revision: 1, status: 'UPLOAD_DELETED', deletedAt: '2025-03-10T12:00:00.000Z' };
    const announce = {
      kind: 'upload.deleted',
      source: `upload/${upload.id}`,
      eventKey: 'revision-1',
      created: '2025-03-10T12:00:00.000Z',
      webhookUrl: 'https://example.com/hook',
    } as const;
    const step = { upload: deleted, sentence: 'Deleted on request.', announce };
    const first = await steps.recordUpload(step);
    expect([first.ofUpload.length, first.ofEnhancements.length]).toEqual([1, 1]);
    expect(await read(unknown)).toMatchObject({ status: 'CANCELLED', revision: 4, waitingFor: null });
    // Streams of events last while a destination is pending.
    expect((await read(unknown)).destination).toMatchObject({ status: 'FAILED', errorCode: 'DESTINATION_CANCELLED' });
    expect((await read(finished)).status).toBe('FINISHED');
    expect(await ledger.balance(accountId, NOW)).toMatchObject({ reserved: 0, used: 0 });
    expect((await steps.recordUpload(step)).ofEnhancements).toEqual([]);
  });
});
