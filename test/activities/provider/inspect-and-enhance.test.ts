import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLocalProvider, type Provider } from '../../../src/activities/provider/local.ts';
import type { Input } from '../../../src/activities/inputs/schemas.ts';
import { originalKey, resultKey } from '../../../src/domain/files/object-keys.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { photo } from '../../e2e/files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { FREE_TERMS } from '../../workflows/scripted-provider.ts';

/* The engine inspects and enhances an image in one task if the work is quick, and leaves every other one to its own steps. */

type Job = Input<'inspectAndEnhance'>;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let sandbox: Sandbox;
let provider: Provider;
let store: Awaited<ReturnType<typeof openFilesystemStore>>;
const watch = { signal: new AbortController().signal, onProgress: () => undefined };
const [accountId, uploadId, enhancementId] = ['acc', 'upl', 'enh'].map((kind) => `${kind}_${'0'.repeat(26)}`);

beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = createSandbox({ concurrency: 1 });
  store = await openFilesystemStore(`${folder.path}/files`);
  provider = createLocalProvider({ sandbox, store, scratchDir: folder.path, engineVersion: 'test' });
});
afterAll(async () => {
  await sandbox.close();
  await folder[Symbol.asyncDispose]();
});

async function jobFor(file: Buffer, parameters: Job['parameters'] = {}): Promise<Job> {
  const objectKey = originalKey(accountId!, uploadId!);
  const { size, sha256 } = await store.put(objectKey, Readable.from([file]), { maxBytes: 100_000_000 });
  const source = {
    uploadId: uploadId!,
    objectKey,
    mimetype: 'image/jpeg' as const,
    originalFilename: 'a.jpg',
    size,
    sha256,
  };
  return {
    enhancementId: enhancementId!,
    source,
    parameters,
    plan: FREE_TERMS,
    resultKey: resultKey(accountId!, uploadId!, enhancementId!),
  };
}

test('quick work has the facts and the result of both steps', async () => {
  const job = await jobFor(await photo(3), { upscalingFactor: 'X2', noiseReductionProfilingMode: 'OFF' });
  const made = await provider.inspectAndEnhance(job, watch);
  const inspection = await provider.inspect(job.source, watch);
  const outcome = await provider.enhance(job, watch);
  expect(made).toEqual({ inspection, outcome: { ...outcome, engine: expect.any(Object) } });
  expect(made!.outcome.result).toMatchObject({ width: 2 * inspection.width, height: 2 * inspection.height });
  expect((await store.head(job.resultKey))?.sha256).toBe(made!.outcome.result.sha256);
});

test.each([
  [
    'a large image',
    () =>
      sharp({ create: { width: 5000, height: 4000, channels: 3, background: '#468' } })
        .jpeg()
        .toBuffer(),
    {},
  ],
  ['much work on a small one', () => photo(4), { upscalingFactor: 'X4', engineTier: 'DETAIL' }],
  ['a file with other bytes in its middle', async () => (await photo(6)).fill(0x20, 3000, 6000), {}],
  ['a file that ends early', async () => (await photo(5)).subarray(0, 3000), {}],
  ['a file that is none', async () => Buffer.from(await readFile('package.json')), {}],
] as const)('%s has its steps by themselves', async (_what, file, parameters) => {
  expect(await provider.inspectAndEnhance(await jobFor(await file(), parameters), watch)).toBeNull();
});
