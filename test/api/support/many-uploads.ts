import { createHash } from 'node:crypto';
import { join } from 'node:path';
import sharp from 'sharp';
import { newId, type Enhancement, type Upload } from '@burnish/contract';
import { enhancements } from '../../../src/database/schema/enhancements.ts';
import { uploads } from '../../../src/database/schema/uploads.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { originalKey, resultKey } from '../../../src/domain/files/object-keys.ts';
import { repositoryRoot } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { testGateway, type TestGateway } from './gateway.ts';
import { storedEnhancement, storedUpload } from './records.ts';

/** Rows of one statement. */
const CHUNK = 1000;

export interface Pair {
  before: Buffer;
  after: Buffer;
}

/**
 * A gateway with the built dashboard, a real database and this many uploads, each with a finished enhancement of 4 credits, the
 * newest called `photo 1.jpg`. Their files are those of a few pairs, in turn, which saves the time of writing them.
 */
export async function manyUploads(count: number, pairs: readonly Pair[]): Promise<TestGateway & { apiKey: string }> {
  const folder = await temporaryFolder();
  const storage = sharedFiles(await openFilesystemStore(join(folder.path, 'objects')), pairs.length);
  const gateway = await testGateway({ storage, dashboardFolder: join(repositoryRoot, 'dist', 'dashboard') });
  const files = await Promise.all(pairs.map(({ before, after }) => Promise.all([before, after].map(facts))));
  const { account } = gateway;
  const now = Date.now();
  // The row that all others are copies of. Its tombstone is older than they are, and no page shows it.
  const first = await storedUpload(gateway, { status: 'UPLOAD_DELETED', createdAt: '2020-01-01T00:00:00.000Z' });
  const done = await storedEnhancement(gateway, first, { status: 'FINISHED', estimatedCredits: 4, chargedCredits: 4 });
  const made = Array.from({ length: count }, (_, index) => {
    const at = now - index * 60_000;
    const id = numbered(newId('upl', at), index % pairs.length);
    const enhancementId = numbered(newId('enh', at), index % pairs.length);
    const [before, after] = files[index % pairs.length]!;
    const createdAt = new Date(at).toISOString();
    const upload: Partial<Upload> = {
      ...{
        id,
        createdAt,
        finishedAt: createdAt,
        status: 'UPLOAD_FINISHED',
        originalFilename: `photo ${index + 1}.jpg`,
      },
      ...{ objectKey: originalKey(account.id, id), file: before!.file, width: before!.width, height: before!.height },
    };
    const enhancement: Partial<Enhancement> = {
      ...{ id: enhancementId, uploadId: id, createdAt, finishedAt: createdAt },
      result: {
        ...after!.file,
        ...{ objectKey: resultKey(account.id, id, enhancementId), originalSize: before!.file.size },
        ...{ filename: `photo ${index + 1}.jpg`, width: after!.width, height: after!.height },
      },
    };
    return { upload, enhancement };
  });
  const { orm } = gateway.database;
  const [uploadRow] = await orm.select().from(uploads);
  const [enhancementRow] = await orm.select().from(enhancements);
  for (let at = 0; at < count; at += CHUNK) {
    const chunk = made.slice(at, at + CHUNK);
    await orm.insert(uploads).values(chunk.map(({ upload }) => ({ ...uploadRow!, ...upload, webhookUrl: null })));
    await orm.insert(enhancements).values(chunk.map(({ enhancement }) => ({ ...enhancementRow!, ...enhancement })));
  }
  for (const [index, { before, after }] of pairs.entries()) {
    await storage.put(originalKey(account.id, numbered(first.id, index)), [before] as never, { maxBytes: 1e9 });
    const key = resultKey(account.id, numbered(first.id, index), numbered(done.id, index));
    await storage.put(key, [after] as never, { maxBytes: 1e9 });
  }
  const { url } = gateway;
  return {
    ...gateway,
    url,
    apiKey: gateway.key,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** An id whose last digit says whose files it has. */
const numbered = (id: string, pair: number): string => `${id.slice(0, -1)}${pair}`;

async function facts(bytes: Buffer) {
  const { width, height } = await sharp(bytes).metadata();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { file: { size: bytes.length, sha256, mimetype: 'image/jpeg' as const }, width: width, height: height };
}

/** A store in which records with the same last digit have the same files and previews. */
function sharedFiles(store: ObjectStore, pairs: number): ObjectStore {
  if (pairs > 10) throw new Error('One digit tells at most ten pairs from each other.');
  const shared = (key: string): string => key.replace(/\b(upl|enh)_\w{25}(\w)/g, `$1_${'0'.repeat(25)}$2`);
  return {
    ...store,
    put: (key, ...rest) => store.put(shared(key), ...rest),
    putFile: (key, path) => store.putFile(shared(key), path),
    get: (key, ...rest) => store.get(shared(key), ...rest),
    head: (key) => store.head(shared(key)),
    withLocalFile: (key, ...rest) => store.withLocalFile(shared(key), ...rest),
  };
}
