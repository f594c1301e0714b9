import { mkdir } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SEED_PLANS, FACTS_FORMAT, type EnhancementProgress } from '@burnish/contract';
import { createLocalProvider, type Provider } from '../../../src/activities/provider/local.ts';
import type { Watch } from '../../../src/activities/heartbeat.ts';
import type { EnhanceOutcome } from '../../../src/activities/provider/local-context.ts';
import type { PlannedEnhancement } from '../../../src/activities/provider/local-pdf.ts';
import { factsKey, originalKey, resultKey, uploadPrefix } from '../../../src/domain/files/object-keys.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { buildPdf, onePage, type Objects } from '../../../packages/pdf/test/build-pdf.ts';
import { flateImage, photograph } from '../../../packages/engine/test/pdf/pictures.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import type { Input, SourceFile } from '../../../src/activities/inputs/schemas.ts';

const IMAGES = 5;

/** A page with several photographs, each at 72 pixels an inch. */
function photographs(width = 120, height = 90): Buffer {
  const numbers = Array.from({ length: IMAGES }, (_, i) => 10 + i);
  const content = numbers.map((n) => `q ${width} 0 0 ${height} 0 0 cm /Im${n} Do Q`).join(' ');
  const objects: Objects = onePage(content, `/XObject<<${numbers.map((n) => `/Im${n} ${n} 0 R`).join('')}>>`);
  for (const n of numbers) {
    const { dict, data } = flateImage(photograph(width, height, 3, n));
    objects[n] = { dict: `/Type/XObject/Subtype/Image ${dict}`, data };
  }
  return buildPdf(objects);
}

let folder: TemporaryFolder;
let sandbox: Sandbox;
let store: ObjectStore;
let uploads = 0;
let source: SourceFile;
/** Keys of stored files, in order */
let puts: string[];
beforeAll(async () => {
  folder = await temporaryFolder();
  sandbox = createSandbox({ concurrency: 1 });
  await mkdir(join(folder.path, 'scratch'));
  const files = await openFilesystemStore(join(folder.path, 'files'));
  const putFile: ObjectStore['putFile'] = async (key, path) => {
    const stored = await files.putFile(key, path);
    puts.push(key);
    return stored;
  };
  store = { ...files, putFile };
});
beforeEach(async () => {
  puts = [];
  const uploadId = `upl_${(uploads += 1)}`;
  await storeSource(uploadId, photographs());
});
async function storeSource(uploadId: string, pdf: Buffer): Promise<void> {
  const objectKey = originalKey('acc', uploadId);
  const stored = await store.put(objectKey, Readable.from([pdf]), { maxBytes: 20_000_000 });
  source = { uploadId, objectKey, mimetype: 'application/pdf', originalFilename: 'document.pdf', ...stored };
}
afterAll(async () => {
  await sandbox.close();
  await folder[Symbol.asyncDispose]();
});

const provider = (oneGoPixels?: number): Provider =>
  createLocalProvider({
    sandbox,
    store,
    scratchDir: join(folder.path, 'scratch'),
    engineVersion: '12.test',
    ...(oneGoPixels === undefined ? {} : { oneGoPixels }),
  });

const watch = (onProgress: Watch['onProgress'] = () => undefined, signal = new AbortController().signal): Watch => ({
  signal,
  onProgress,
});

const jobOf = (enhancementId: string): Input<'enhance'> => ({
  enhancementId,
  source,
  parameters: { targetResolution: 144 },
  plan: SEED_PLANS.FREE,
  resultKey: resultKey('acc', source.uploadId, enhancementId),
});

async function planned(job: Input<'enhance'>): Promise<PlannedEnhancement> {
  const made = await provider(0).enhance(job, watch());
  if (!('spans' in made)) throw new Error('It was done in one go.');
  return made;
}

const pathOf = (key: string): string => join(folder.path, 'files', `${key}.object`);

describe('a PDF that is enhanced in spans', () => {
  it('has the same bytes, report and price as one that is enhanced at once', async () => {
    await provider().analyze(source, watch());
    const [job, other] = [jobOf('enh_spans'), jobOf('enh_alone')];
    const { workKey, images, spans } = await planned(job);
    expect([images, spans]).toEqual([IMAGES, [{ from: 0, to: IMAGES }]]);
    for (const [from, to] of [
      [3, 5],
      [0, 2],
      [2, 3],
    ] as const)
      // prettier-ignore
      await provider().enhanceSpan({ ...job, workKey, from, to }, watch());
    const apart = await provider().assemble({ ...job, workKey, images }, watch());
    const whole = (await provider().enhance(other, watch())) as EnhanceOutcome;

    const timeless = ({ result, engine, credits }: EnhanceOutcome) => [
      { ...result, objectKey: '' },
      { ...engine, durationMs: 0 },
      credits,
    ];
    expect(timeless(apart)).toEqual(timeless(whole));
    expect(apart.credits).toBe(IMAGES * 4);
    expect(readFileSync(pathOf(job.resultKey)).equals(readFileSync(pathOf(other.resultKey)))).toBe(true);
  });

  it.each([
    ['an older version, which must be made again', FACTS_FORMAT - 1, { type: 'PLAN_OUTDATED', nonRetryable: true }],
    ['a version that did not name it', undefined, { type: 'PLAN_OUTDATED', nonRetryable: true }],
    ['a newer version, which another worker reads', FACTS_FORMAT + 1, { code: 'UNAVAILABLE', machinery: 'worker' }],
  ])('refuses a plan of %s', async (_, format, failure) => {
    const job = jobOf('enh_version');
    const { workKey: current, images } = await planned(job);
    expect(current).toMatch(new RegExp(`/work/${FACTS_FORMAT}-[0-9a-f]{16}$`));
    const workKey = current.replace(`/${FACTS_FORMAT}-`, format === undefined ? '/' : `/${format}-`);
    await expect(provider().enhanceSpan({ ...job, workKey, from: 0, to: 1 }, watch())).rejects.toMatchObject(failure);
    await expect(provider().assemble({ ...job, workKey, images }, watch())).rejects.toMatchObject(failure);
  });

  it('reports progress within an image', async () => {
    await storeSource(source.uploadId, photographs(960, 720));
    const job = jobOf('enh_within');
    const { workKey } = await planned(job);
    const told: number[] = [];
    await provider().enhanceSpan(
      { ...job, workKey, from: 0, to: 1 },
      watch(({ fraction }) => void told.push(fraction)),
    );
    expect(told.some((fraction) => fraction > 0 && fraction < 1)).toBe(true);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });

  it('continues after the last stored image if its worker was stopped', async () => {
    // Larger images take longer, so that the abort comes before the last image.
    await storeSource(source.uploadId, photographs(480, 360));
    const job = jobOf('enh_stopped');
    const { workKey } = await planned(job);
    puts = [];
    const stop = new AbortController();
    const stopped = provider().enhanceSpan(
      { ...job, workKey, from: 0, to: IMAGES },
      watch(({ images = 0 }) => (images >= 2 ? stop.abort(new Error('shut down')) : undefined), stop.signal),
    );
    await expect(stopped).rejects.toThrow('shut down');
    const finished = [...puts];
    expect(finished.length).toBeGreaterThanOrEqual(2);
    expect(finished.length).toBeLessThan(IMAGES);

    puts = [];
    const told: EnhancementProgress[] = [];
    await provider().enhanceSpan(
      { ...job, workKey, from: 0, to: IMAGES },
      watch((each) => void told.push(each)),
    );
    expect(puts).toHaveLength(IMAGES - finished.length);
    expect([...finished, ...puts].sort()).toEqual(Array.from({ length: IMAGES }, (_, i) => `${workKey}/${i}`));
    expect(told[0]).toEqual({ step: 'images', fraction: finished.length / IMAGES, images: finished.length });
    expect(told.at(-1)).toEqual({ step: 'images', fraction: 1, images: IMAGES });

    puts = [];
    await provider().enhanceSpan({ ...job, workKey, from: 0, to: IMAGES }, watch());
    expect(puts).toEqual([]);
  }, 180_000);

  it('keeps the results of different plans apart', async () => {
    const job = jobOf('enh_plans');
    const first = await planned(job);
    const again = await planned(job);
    const other = await planned({ ...job, parameters: { targetResolution: 200 } });
    expect(again.workKey).toBe(first.workKey);
    expect(other.workKey).not.toBe(first.workKey);
  });

  it('cannot be assembled while a result is missing', async () => {
    const job = jobOf('enh_missing');
    const { workKey, images } = await planned(job);
    await provider().enhanceSpan({ ...job, workKey, from: 1, to: IMAGES }, watch());
    await expect(provider().assemble({ ...job, workKey, images }, watch())).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    expect(await store.head(job.resultKey)).toBeUndefined();
  });
});

describe('a stored analysis of a PDF', () => {
  it('serves estimates without the file', async () => {
    const analysis = await provider().analyze(source, watch());
    await store.delete(source.objectKey);
    const defaults = { ...jobOf('enh_estimate'), parameters: {} };
    expect(await provider().estimate(defaults, watch())).toBe(analysis.totalCredits);
  });

  it('is deleted with the files of its upload', async () => {
    await provider().analyze(source, watch());
    expect(puts).toEqual([factsKey(source.objectKey)]);
    await store.deletePrefix(uploadPrefix('acc', source.uploadId));
    expect(await store.head(puts[0]!)).toBeUndefined();
  });

  it('is computed again if it is not stored', async () => {
    const defaults = { ...jobOf('enh_unknown'), parameters: {} };
    const estimated = await provider().estimate(defaults, watch());
    expect(estimated).toBe((await provider().analyze(source, watch())).totalCredits);
  });
});
