import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { enhanceImageObject } from './enhance-image.ts';
import { DamagedImage } from './image-decoder.ts';
import type { ObjectStore } from './object-store.ts';
import type { PdfPlan } from './plan.ts';
import { releaseMemory } from './release-memory.ts';
import { readResult, resultName, writeResult } from './result-file.ts';
import { breathe, type Run } from './run.ts';
import type { ImageWork } from './work.ts';

/** Results from which on the samples of two would be felt. */
const LARGE_PIXELS = 4_000_000;

/**
 * Enhances the images `from` to `to` (not included) of a plan into one file each. Results that are there from an earlier
 * attempt are kept, so what is lost with a worker is the image that it was at.
 */
export async function enhanceSpan(
  store: ObjectStore,
  plan: PdfPlan,
  from: number,
  to: number,
  directory: string,
  run: Run,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const span = plan.work.slice(from, to);
  for (const [done, work] of span.entries()) {
    await breathe(run, { step: 'images', fraction: done / span.length });
    const path = join(directory, resultName(plan, work));
    if ((await readResult(path)) !== undefined) continue;
    await enhanceToFile(store, plan, work, path);
    if (work.width * work.height >= LARGE_PIXELS) releaseMemory();
  }
  run.onProgress?.({ step: 'images', fraction: 1 });
}

async function enhanceToFile(store: ObjectStore, plan: PdfPlan, work: ImageWork, path: string): Promise<void> {
  const { number } = work;
  try {
    const encoded = await enhanceImageObject(store, work, plan.parameters);
    if (encoded === undefined) return await writeResult(path, { number, kept: 'needs-nothing' });
    const { data, ...shape } = encoded;
    const sha256 = createHash('sha256').update(data).digest('hex');
    await writeResult(path, { number, ...shape, bytes: data.length, sha256 }, data);
  } catch (error) {
    if (!(error instanceof DamagedImage)) throw error;
    await writeResult(path, { number, kept: 'damaged' });
  }
}
