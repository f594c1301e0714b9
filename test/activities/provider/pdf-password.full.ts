import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SEED_PLANS } from '@burnish/contract';
import { createLocalProvider } from '../../../src/activities/provider/local.ts';
import type { Watch } from '../../../src/activities/heartbeat.ts';
import { createUploadPasswords, type UploadPasswords } from '../../../src/database/uploads/upload-passwords.ts';
import { uploadPasswords } from '../../../src/database/schema/upload-passwords.ts';
import type { Database } from '../../../src/database/database.ts';
import { originalKey, resultKey } from '../../../src/domain/files/object-keys.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openPdfDocument } from '@burnish/pdf';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { largeEncryptedPdf } from '../../../packages/engine/test/pdf/encrypted-files.ts';
import { openTestDatabase } from '../../support/test-database.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { testVault } from '../../support/test-vault.ts';
import type { SourceFile } from '../../../src/activities/inputs/schemas.ts';

let folder: TemporaryFolder;
let sandbox: Sandbox;
let store: ObjectStore;
let database: Database;
let passwords: UploadPasswords;
let source: SourceFile;
let uploads = 0;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = createSandbox({ concurrency: 1 });
  await mkdir(join(folder.path, 'scratch'));
  store = await openFilesystemStore(join(folder.path, 'files'));
  database = await openTestDatabase();
  passwords = createUploadPasswords(database, testVault);
});
afterAll(async () => {
  await sandbox.close();
  await database.close();
  await folder[Symbol.asyncDispose]();
});
beforeEach(() => sourceOf(largeEncryptedPdf()));

async function sourceOf(bytes: Promise<Buffer>): Promise<void> {
  const uploadId = `upl_${(uploads += 1)}`;
  const objectKey = originalKey('acc', uploadId);
  const stored = await store.put(objectKey, Readable.from([await bytes]), { maxBytes: 10_000_000 });
  source = { uploadId, objectKey, mimetype: 'application/pdf', originalFilename: 'document.pdf', ...stored };
}

const watch: Watch = { signal: new AbortController().signal, onProgress: () => undefined };
const provider = (oneGoPixels?: number) =>
  createLocalProvider({
    sandbox,
    store,
    passwords,
    scratchDir: join(folder.path, 'scratch'),
    engineVersion: '12.test',
    ...(oneGoPixels === undefined ? {} : { oneGoPixels }),
  });
const jobOf = (enhancementId: string) => ({
  enhancementId,
  source,
  parameters: { targetResolution: 144, customColorConfig: { auto: false } },
  plan: SEED_PLANS.FREE,
  resultKey: resultKey('acc', source.uploadId, enhancementId),
});
const pathOf = (key: string): string => join(folder.path, 'files', `${key}.object`);
const rows = async (): Promise<string[]> =>
  (await database.orm.select().from(uploadPasswords)).map(({ uploadId }) => uploadId);

/** Expects that the result opens only with the password of the original. */
async function expectEncryptedResult(key: string): Promise<void> {
  expect(() => openPdfDocument(pathOf(key))).toThrow(expect.objectContaining({ code: 'PASSWORD_REQUIRED' }));
  const pdf = openPdfDocument(pathOf(key), 'secret');
  try {
    expect(pdf.encryption).toBeDefined();
  } finally {
    pdf.close();
  }
}

describe('an encrypted PDF', () => {
  it('without a stored password is refused with ENCRYPTED_PDF', async () => {
    await expect(provider().analyze(source, watch)).rejects.toMatchObject({ code: 'ENCRYPTED_PDF' });
  });

  it('with a wrong password is refused with WRONG_PASSWORD, and the message does not contain the password', async () => {
    await passwords.put(source.uploadId, 'not-this-one');
    const failure = await provider()
      .analyze(source, watch)
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'WRONG_PASSWORD' });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('not-this-one');
  });

  it.each(['AES-128', 'AES-256'] as const)(
    'with %s is enhanced with its password and stays encrypted',
    async (name) => {
      await sourceOf(largeEncryptedPdf(name));
      await passwords.put(source.uploadId, 'secret');
      expect(await provider().analyze(source, watch)).toMatchObject({ statistics: { images: 1 } });
      const job = jobOf(`enh_${name.toLowerCase().replace('-', '')}`);
      expect(await provider().enhance(job, watch)).toMatchObject({ credits: 4, result: { objectKey: job.resultKey } });
      await expectEncryptedResult(job.resultKey);
      // The password stays, because further enhancements may follow.
      expect(await rows()).toContain(source.uploadId);
    },
  );

  it('is enhanced in spans with its password', async () => {
    await sourceOf(largeEncryptedPdf('AES-256', 'secret', 2));
    await passwords.put(source.uploadId, 'secret');
    const job = jobOf('enh_spans');
    const made = await provider(0).enhance(job, watch);
    if (!('spans' in made)) throw new Error('It was done in one go.');
    const { workKey, images, spans } = made;
    for (const span of spans)
      await provider().enhanceSpan({ enhancementId: job.enhancementId, source, workKey, ...span }, watch);
    await provider().assemble({ ...job, workKey, images }, watch);
    await expectEncryptedResult(job.resultKey);
  });
});

it('the password of a PDF that needs none is removed after the analysis', async () => {
  await sourceOf(largeEncryptedPdf('AES-256', ''));
  await passwords.put(source.uploadId, 'needless');
  await provider().analyze(source, watch);
  expect(await rows()).not.toContain(source.uploadId);
});
