import { mkdir, readdir } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SEED_PLANS, Failure } from '@burnish/contract';
import { createLocalProvider, type Provider } from '../../../src/activities/provider/local.ts';
import type { Watch } from '../../../src/activities/heartbeat.ts';
import type { PlannedEnhancement } from '../../../src/activities/provider/local-pdf.ts';
import type { Input, SourceFile } from '../../../src/activities/inputs/schemas.ts';
import { originalKey, resultKey } from '../../../src/domain/files/object-keys.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { TextReader } from '../../../src/sandbox/text/text-reader.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { buildPdf, type Objects } from '../../../packages/pdf/test/build-pdf.ts';
import { drawnPage, PAGE_HEIGHT, PAGE_WIDTH } from '../../../packages/engine/test/support/drawn-page.ts';
import { boxedWords, qpdfComplaint } from '../../../packages/engine/test/pdf/judges.ts';
import { flateImage } from '../../../packages/engine/test/pdf/pictures.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const PAGES = 3;
const [WIDTH, HEIGHT] = [PAGE_WIDTH / 2, PAGE_HEIGHT / 2];

let folder: TemporaryFolder;
let sandbox: Sandbox;
let store: ObjectStore;
let bytes: Buffer;
let uploads = 0;
let source: SourceFile;
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = createSandbox({ concurrency: 1 });
  await mkdir(join(folder.path, 'scratch'));
  store = await openFilesystemStore(join(folder.path, 'files'));
  const { dict, data } = flateImage((await drawnPage('', '#303030', '#e8e0c8')) as never);
  const numbers = Array.from({ length: PAGES }, (_, k) => k);
  const objects: Objects = {
    1: '<</Type/Catalog/Pages 2 0 R>>',
    2: `<</Type/Pages/Kids[${numbers.map((k) => `${10 + k} 0 R`).join(' ')}]/Count ${PAGES}>>`,
    4: { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /Im Do Q` },
  };
  for (const k of numbers) {
    objects[10 + k] =
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</XObject<</Im ${20 + k} 0 R>>>>>>`;
    objects[20 + k] = { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
  }
  bytes = buildPdf(objects);
});
beforeEach(async () => {
  const uploadId = `upl_${(uploads += 1)}`;
  const objectKey = originalKey('acc', uploadId);
  const stored = await store.put(objectKey, Readable.from([bytes]), { maxBytes: 50_000_000 });
  source = { uploadId, objectKey, mimetype: 'application/pdf', originalFilename: 'document.pdf', ...stored };
});
afterAll(async () => {
  await sandbox.close();
  await folder[Symbol.asyncDispose]();
});

const providerWith = (read: TextReader['read'] | undefined): Provider =>
  createLocalProvider({
    sandbox,
    store,
    scratchDir: join(folder.path, 'scratch'),
    engineVersion: '12.test',
    ...(read && { textReader: { read } }),
  });

const watch = (signal = new AbortController().signal, onProgress: Watch['onProgress'] = () => undefined): Watch => ({
  signal,
  onProgress,
});

const jobOf = (enhancementId: string): Input<'enhance'> => ({
  enhancementId,
  source,
  parameters: { mode: 'DOCUMENT', text: true, textLanguages: 'eng' },
  plan: SEED_PLANS.FREE,
  resultKey: resultKey('acc', source.uploadId, enhancementId),
});

async function plan(provider: Provider, job: Input<'enhance'>): Promise<PlannedEnhancement> {
  const made = await provider.enhance(job, watch());
  if (!('spans' in made)) throw new Error('It was done in one go.');
  expect(made).toMatchObject({ images: PAGES, text: 'eng' });
  return made;
}

const WORD = { text: 'found', left: 120, top: 50, width: 100, height: 20 };

describe('an order of text', () => {
  test('reads each page once, although attempts end between them, and adds the words', async () => {
    const reads: string[] = [];
    const read: TextReader['read'] = async (_scan, { languages, account }) => {
      reads.push(`${account} ${languages}`);
      if (reads.length === 2) throw new Failure('UNAVAILABLE', { machinery: 'worker' });
      return [WORD];
    };
    const provider = providerWith(read);
    const job = jobOf('enh_text');
    const { workKey, images, spans, text } = await plan(provider, job);
    const progress: number[] = [];
    const all = async (): Promise<void> => {
      for (const span of spans)
        await provider.enhanceSpan(
          { ...job, workKey, text: text!, ...span },
          watch(undefined, ({ fraction }) => void progress.push(fraction)),
        );
    };
    await expect(all()).rejects.toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
    await all();
    expect(reads).toEqual(Array.from({ length: PAGES + 1 }, () => 'acc eng'));
    expect(progress.at(-1)).toBe(1);

    const { engine, credits, result } = await provider.assemble({ ...job, workKey, images, text: text! }, watch());
    expect(engine.notes).toContain('3 pages of 3 have a new layer of invisible text, at no charge.');
    expect([engine.unchanged, credits]).toEqual([undefined, PAGES]);
    const path = join(folder.path, 'out.pdf');
    writeFileSync(path, readFileSync(join(folder.path, 'files', `${result.objectKey}.object`)));
    expect(qpdfComplaint(path)).toBe('');
    const found = boxedWords(path);
    if (found) expect(found.map(({ word }) => word)).toEqual(['found']);
    expect(await readdir(join(folder.path, 'scratch'))).toEqual([]);
  });

  test('costs nothing where only text is added, and is no unchanged result', async () => {
    const provider = providerWith(async () => [WORD]);
    const job = {
      ...jobOf('enh_free'),
      parameters: { text: true, customColorConfig: { auto: false }, targetResolution: 72 },
    };
    const { workKey, images, spans } = await plan(provider, job);
    for (const span of spans) await provider.enhanceSpan({ ...job, workKey, text: 'eng', ...span }, watch());
    const { engine, credits } = await provider.assemble({ ...job, workKey, images, text: 'eng' }, watch());
    expect([credits, engine.unchanged]).toEqual([0, undefined]);
  });

  test('waits for another worker where this one reads no text', async () => {
    const provider = providerWith(undefined);
    const job = jobOf('enh_none');
    const { workKey, spans } = await plan(provider, job);
    const span = { ...job, workKey, text: 'eng', ...spans[0]! };
    await expect(provider.enhanceSpan(span, watch())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('ends its reader when it is cancelled', async () => {
    const cancel = new AbortController();
    const read: TextReader['read'] = (_scan, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        cancel.abort(new Error('cancelled'));
      });
    const provider = providerWith(read);
    const job = jobOf('enh_cancelled');
    const { workKey, spans } = await plan(provider, job);
    const span = { ...job, workKey, text: 'eng', ...spans[0]! };
    await expect(provider.enhanceSpan(span, watch(cancel.signal))).rejects.toThrow('cancelled');
    expect(await readdir(join(folder.path, 'scratch'))).toEqual([]);
  });
});
