import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SEED_PLANS, Failure, type Upload } from '@burnish/contract';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import type { Database } from '../../src/database/database.ts';
import { createLifecycleSteps } from '../../src/database/uploads/lifecycle-steps.ts';
import { createUploadPasswords, type UploadPasswords } from '../../src/database/uploads/upload-passwords.ts';
import { createUploadStarts } from '../../src/database/uploads/upload-starts.ts';
import { uploadPasswords } from '../../src/database/schema/upload-passwords.ts';
import { resealStoredSecrets } from '../../src/database/reseal-stored-secrets.ts';
import { createKeyRing, newKey, createVault } from '../../src/secrets/key-ring.ts';
import { DATABASES, type TestDatabase } from './databases.ts';
import { anUpload, MUCH_ROOM } from './records.ts';

const HOUR_MS = 3_600_000;
const [oldKey, key] = [newKey(), newKey()] as const;
const vault = createVault(createKeyRing([oldKey]));

describe.each(DATABASES)('passwords of PDFs in %s', (_name, open) => {
  let opened: TestDatabase;
  let database: Database;
  let passwords: UploadPasswords;
  let accountId: string;
  let aheadMs = 0;
  beforeAll(async () => {
    opened = await open();
    ({ database } = opened);
    passwords = createUploadPasswords(database, vault, () => Date.now() + aheadMs);
    accountId = (await ensureInitialAccount(database, vault, { plan: 'FREE', creditsPerPeriod: 1 })).account.id;
  });
  afterAll(() => opened.close());

  const aPdf = (given: Partial<Upload> = {}): Upload =>
    anUpload(accountId, { file: { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' }, ...given });
  const get = (uploadId: string, by = passwords): Promise<string | undefined> =>
    by
      .withPassword(uploadId, ({ password }) =>
        password === undefined ? Promise.reject(new Failure('ENCRYPTED_PDF')) : Promise.resolve(password),
      )
      .catch((error: unknown) => {
        if (error instanceof Failure) return undefined;
        throw error;
      });
  async function withPassword(given: Partial<Upload> = {}): Promise<Upload> {
    const upload = aPdf(given);
    await createUploadStarts(database, vault).record({
      upload: {
        ...upload,
        revision: 0,
        status: 'UPLOAD_PROCESSING',
        errorCode: null,
        reference: null,
        customMetadata: null,
      },
      enhancements: [],
      keyId: null,
      input: { source: { kind: 'url', url: 'https://example.com/a.pdf' }, plan: SEED_PLANS.FREE, enhancements: [] },
      room: MUCH_ROOM,
      claim: null,
      password: passwords.toRow(upload.id, 'secret'),
    });
    return upload;
  }

  test.each<[string, Partial<Upload>, string | undefined]>([
    ['goes with a deleted upload', { status: 'UPLOAD_DELETED' }, undefined],
    ['goes with a failed upload', { status: 'UPLOAD_FAILED' }, undefined],
    ['that does not fit goes', { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: 'WRONG_PASSWORD' }, undefined],
    ['stays while the upload does', { subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' }, 'secret'],
    ['stays after another failure', { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: 'INTERNAL' }, 'secret'],
  ])('a password %s', async (_, given, kept) => {
    const upload = await withPassword(given);
    const steps = createLifecycleSteps(database, vault);
    await steps.recordUpload({ upload: { ...upload, revision: 2 }, sentence: '', announce: null });
    expect(await get(upload.id)).toBe(kept);
  });

  test('survive a late repetition of an earlier step', async () => {
    const upload = await withPassword();
    const steps = createLifecycleSteps(database, vault);
    const failed = {
      upload: { ...upload, revision: 2, errorCode: 'WRONG_PASSWORD' as const },
      sentence: '',
      announce: null,
    };
    await steps.recordUpload(failed);
    await passwords.put(upload.id, 'the right one');
    await steps.recordUpload(failed);
    expect(await get(upload.id)).toBe('the right one');
  });

  test('without a use are removed by the sweep after an hour', async () => {
    const [used, deleted] = [await withPassword(), await withPassword()];
    const image = anUpload(accountId);
    const steps = createLifecycleSteps(database, vault);
    for (const upload of [
      { ...used, revision: 2 },
      { ...deleted, revision: 2, status: 'UPLOAD_DELETED' as const },
      image,
    ])
      await steps.recordUpload({ upload, sentence: '', announce: null });
    for (const id of [deleted.id, image.id, 'upl_never']) await passwords.put(id, 'left over');
    await passwords.purge();
    expect(await get('upl_never')).toBe('left over');
    aheadMs = 2 * HOUR_MS;
    await passwords.purge();
    aheadMs = 0;
    expect(await Promise.all([used.id, deleted.id, image.id, 'upl_never'].map((id) => get(id)))).toEqual([
      'secret',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('are removed with a withdrawn start', async () => {
    const upload = await withPassword();
    const starts = createUploadStarts(database, vault);
    await starts.refuse(upload.id, true);
    expect(await starts.withdraw(upload.id)).toBe(true);
    expect(await get(upload.id)).toBeUndefined();
  });

  test('are encrypted again at a start with a new key, and cannot be read in another row', async () => {
    await resealStoredSecrets(database, vault);
    const upload = await withPassword();
    const both = createVault(createKeyRing([key, oldKey]));
    await resealStoredSecrets(database, both);
    const alone = createUploadPasswords(database, createVault(createKeyRing([key])));
    expect(await get(upload.id, alone)).toBe('secret');
    const [row] = await database.orm.select().from(uploadPasswords);
    await database.orm.insert(uploadPasswords).values({ ...row!, uploadId: 'upl_other' });
    await expect(get('upl_other', alone)).rejects.toThrow('cannot be decrypted');
  });
});
