import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findDirection } from '../turn/find-direction.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { enhancePictureObjects, type ImageRun } from './enhance-image.ts';
import { loadPicture, type PagePicture } from '../pages/page-picture.ts';
import { DamagedImage } from '../images/damaged-image.ts';
import { assertWorkWithin } from '../work-limits.ts';
import type { PdfDocument } from '@burnish/pdf';
import {
  toRequestKey,
  readResult,
  resultName,
  writeKept,
  writeResult,
  type Directed,
  type KeptImage,
} from './result-file.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { isReadOnly } from '../analyze/reading.ts';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';

/** Size of a result, in pixels, from which the samples of two results would take significant memory. */
const LARGE_PIXELS = 4_000_000;

/**
 * Enhances some images of a plan into one file each. Results of an earlier attempt are kept, so a worker that crashes
 * loses only its current image.
 * @param images indices in the plan
 * @throws EngineError of the limit on the total size of the results
 */
export async function enhanceSpan(
  pdf: PdfDocument,
  plan: PdfPlan,
  images: readonly number[],
  directory: string,
  run: Run,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  let bytes = 0;
  for (const [done, index] of images.entries()) {
    await yieldToEvents(run, { step: 'images', fraction: done / images.length });
    const work = plan.work[index];
    if (work === undefined) throw new Error(`The plan has no image ${index}.`);
    const path = join(directory, resultName(index));
    if ((await readResult(path, toRequestKey(plan, work))) !== undefined) continue;
    const onPart = (part: number): void => {
      run.signal?.throwIfAborted();
      run.onProgress?.({ step: 'images', fraction: (done + part) / images.length });
    };
    bytes += (await enhanceToFile(pdf, plan, work, path, { models: run.models, onPart })).bytes;
    assertWorkWithin('resultBytes', bytes);
    if (work.width * work.height >= LARGE_PIXELS) releaseMemory();
  }
  run.onProgress?.({ step: 'images', fraction: 1 });
}

/**
 * Finds the direction of the page of an image, unless it is given, and stores the result of the image with it.
 * @returns bytes of the new data, 0 when the image does not change, and the direction
 */
export async function enhanceToFile(
  pdf: PdfDocument,
  plan: PdfPlan,
  work: ImageWork,
  path: string,
  run: ImageRun,
): Promise<Directed & { bytes: number }> {
  const { number } = work;
  const asked = toRequestKey(plan, work);
  let directed: Directed = {};
  const keep = async (kept: Omit<KeptImage, 'number'>): Promise<Directed & { bytes: number }> => {
    await writeKept(path, asked, { number, ...kept, ...directed });
    return { bytes: 0, ...directed };
  };
  try {
    let page: PagePicture | undefined;
    const load = async (): Promise<PagePicture> => (page = await loadPicture(pdf, work.number, work.parts));
    const direction: QuarterTurns | undefined = run.direction ?? (await findDirection(pdf, work, load));
    if (direction !== undefined) directed = { direction };
    if (isReadOnly(work)) return await keep({ kept: 'needs-nothing' });
    const enhanced = await enhancePictureObjects(pdf, work, plan.parameters, { ...run, direction, page });
    if ('kept' in enhanced) return await keep(enhanced);
    return { bytes: await writeResult(path, asked, { ...enhanced, ...directed }), ...directed };
  } catch (error) {
    if (!(error instanceof DamagedImage)) throw error;
    return keep({ kept: 'damaged' });
  }
}

let collect: (() => void) | undefined;

/**
 * Collects garbage now. The samples of an image are outside V8's heap, so V8 rarely collects them, and those of several
 * images would accumulate. A collection takes milliseconds, an image takes seconds.
 */
function releaseMemory(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}
