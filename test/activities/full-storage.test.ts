import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from '@jest/globals';
import { createFileActivities } from '../../src/activities/files.ts';
import { createAccountStorage } from '../../src/database/accounts/account-storage.ts';
import { createAccounts } from '../../src/database/accounts/accounts.ts';
import { createUploads } from '../../src/database/uploads/uploads.ts';
import { openFilesystemStore } from '../../src/storage/filesystem/filesystem.ts';
import { addAccount, anUpload } from '../database/records.ts';
import { openTestDatabase } from '../support/test-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testVault } from '../support/test-vault.ts';

const SIZE = 30_000;

test('of two downloads of unknown size, one fits; the other leaves nothing and is not repeated', async () => {
  await using folder = await temporaryFolder();
  const database = await openTestDatabase();
  const accountId = await addAccount(database);
  await createAccounts(database, testVault).update(accountId, { maxStoredBytes: SIZE });
  const store = await openFilesystemStore(folder.path);
  const { downloadUpload } = createFileActivities({
    store,
    detect: () => Promise.resolve('image/jpeg'),
    safeFetch: { download: () => Promise.resolve({ body: Readable.from([Buffer.alloc(SIZE)]) }) },
    accountStorage: createAccountStorage(database),
  } as never);
  const download = async (): Promise<unknown> => {
    const upload = anUpload(accountId, { status: 'UPLOAD_PROCESSING', objectKey: null, file: null });
    await createUploads(database, testVault).project(upload);
    const input = { accountId, uploadId: upload.id, url: 'https://example.com/photo.jpg', unnamed: false };
    const run = (): Promise<unknown> => new MockActivityEnvironment().run(downloadUpload, input);
    const outcome = await run().catch((error: unknown) => error);
    // A repetition of either has the same outcome.
    expect(await run().catch((error: unknown) => error)).toEqual(outcome);
    const kept = (await store.head(`${accountId}/${upload.id}/original`)) !== undefined;
    return outcome instanceof Error ? { kept, ...outcome } : { kept };
  };
  const outcomes = await Promise.all([download(), download()]);
  expect(outcomes).toContainEqual({ kept: true });
  expect(outcomes).toContainEqual(expect.objectContaining({ kept: false, code: 'STORAGE_LIMIT', retryable: false }));
  await database.close();
});
