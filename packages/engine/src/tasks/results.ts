import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FrameLimits } from '@burnish/jail';
import type { z } from 'zod';
import {
  type PdfParameters,
  type PdfWork,
  MAX_PREVIEW_SIDE,
  TRIAL_WHOLE_SIDE,
  DETECT_BYTES,
  type MediaType,
} from '@burnish/contract/engine';
import { detectMediaType } from '../detect.ts';
import { readingName } from '../pdf/text/page-words.ts';
import { readImageSize } from '../image-header.ts';
import type { EnhanceImageOutput } from '../image/enhance.ts';
import { isOriginal, type PageChanges } from '../pdf/enhance/is-original.ts';
import * as outputs from './output-schemas.ts';
import type { AssembledPdf } from '../pdf/enhance/assemble.ts';
import type { TaskInput, TaskName, TaskOutput } from '../tasks.ts';

const { total } = outputs;

/** Facts of a PDF, in bytes of JSON: some hundred for each image. Storage keeps them, and every estimate reads them. */
const MAX_FACTS_BYTES = 512 * 1024 ** 2;
/** The shortest stream of a PDF: `1 0 obj<<>>stream`, `endstream` and `endobj` with their ends of lines (ISO 32000-1 section 7.3.8). */
const MIN_STREAM_BYTES = 35;

/** Bounds of a list of thousands of images or pages. */
export const LIST_LIMITS: FrameLimits = { bytes: 8 * 1024 ** 2, depth: 8, members: 400_000 };

/** What the parent knows about the result of a task before it believes it. */
export interface ResultCheck<Input = never, Output = never> {
  output: z.ZodType;
  /** Bounds of its frame; by default those of a result without a long list */
  limits?: FrameLimits;
  file?: (input: Input, output: Output) => { path: string; type: MediaType } | undefined;
  isPossible?: (input: Input, output: Output) => Promise<boolean>;
}

const pdfAt = ({ outputPath }: { outputPath: string }) => ({ path: outputPath, type: 'application/pdf' as const });
/** A picture of at most the size that was asked for. */
const preview: ResultCheck<{ outputPath: string; side: number | null }, void> = {
  output: outputs.nothing,
  file: ({ outputPath }) => ({ path: outputPath, type: 'image/webp' }),
  isPossible: async ({ outputPath, side }) => {
    const { width, height } = await readImageSize(outputPath, 'image/webp');
    return Math.max(width, height) <= (side ?? MAX_PREVIEW_SIDE);
  },
};

/** Whether a trial has a picture of the original and of each order, none larger than a trial shows. */
async function isTrial(
  { outputDir, pictures, orders }: { outputDir: string; pictures: readonly number[]; orders: readonly unknown[] },
  { tried }: { tried: readonly unknown[] },
): Promise<boolean> {
  if (tried.length !== orders.length) return false;
  return await arePreviews(outputDir, pictures, TRIAL_WHOLE_SIDE);
}

/** Whether the numbered files of a folder are pictures that browsers may show. @param side longest side, pixels */
async function arePreviews(folder: string, numbers: readonly number[], side: number): Promise<boolean> {
  for (const number of numbers) {
    const path = join(folder, String(number));
    if ((await detectMediaType(await head(path))) !== 'image/webp') return false;
    const { width, height } = await readImageSize(path, 'image/webp');
    if (Math.max(width, height) > side) return false;
  }
  return true;
}

/** Whether the file of a result has the size that is told. */
async function hasItsSize(path: string, { mimetype, width, height }: EnhanceImageOutput): Promise<boolean> {
  const found = await readImageSize(path, mimetype);
  return found.width === width && found.height === height;
}

export const TASK_RESULTS: { [T in TaskName]: ResultCheck<TaskInput<T>, TaskOutput<T>> } = {
  'inspect-image': { output: outputs.imageFacts },
  'enhance-image': {
    output: outputs.enhancedImage,
    file: ({ outputPath }, { mimetype }) => ({ path: outputPath, type: mimetype }),
    isPossible: ({ outputPath }, enhanced) => hasItsSize(outputPath, enhanced),
  },
  'inspect-and-enhance-image': {
    output: outputs.inspectedImage,
    file: ({ outputPath }, { enhanced: { mimetype } }) => ({ path: outputPath, type: mimetype }),
    isPossible: ({ outputPath }, { enhanced }) => hasItsSize(outputPath, enhanced),
  },
  'verify-image': { output: outputs.fidelity },
  'analyze-pdf': {
    output: outputs.findings,
    // An image has more than one byte, and an eligible one is a stream of its own.
    isPossible: async ({ inputPath, factsPath }, { images, work }) =>
      (await stat(factsPath)).size <= MAX_FACTS_BYTES &&
      images < (await stat(inputPath)).size &&
      outputs.mostEligible(work) <= (await countStreams(inputPath)),
  },
  'estimate-pdf': {
    output: outputs.estimate,
    isPossible: async ({ inputPath, fileBytes, paidExcept }, { work: planned, paid }) =>
      isPaidExpected(paidExcept, paid) &&
      total(planned, paid) <=
        (inputPath === undefined ? Number(fileBytes) / MIN_STREAM_BYTES : await countStreams(inputPath)),
  },
  'enhance-or-plan-pdf': {
    output: outputs.assembledOrPlanned,
    file: (input, output) => ('spans' in output ? undefined : pdfAt(input)),
    // Text is read between tasks, so that a task that does all has none.
    isPossible: async (input, output) =>
      'spans' in output ||
      (output.textPages === 0 && isOrdered(input.parameters, output) && (await isCharged(input, output))),
  },
  'enhance-pdf-span': { output: outputs.nothing },
  'enhance-pdf-scan': {
    output: outputs.scanToRead,
    file: ({ scanPath }, output) => ('scan' in output ? { path: scanPath, type: 'image/png' } : undefined),
    isPossible: async ({ scanPath }, output) => {
      if (!('scan' in output)) return true;
      const { width, height } = await readImageSize(scanPath, 'image/png');
      return width === output.scan.width && height === output.scan.height;
    },
  },
  'assemble-pdf': {
    output: outputs.assembled,
    file: pdfAt,
    isPossible: async (input, output) =>
      (output.textPages === 0 || output.textPages <= (await countReadings(input.resultsDir))) &&
      isOrdered(input.parameters, output) &&
      (await isCharged(input, output)),
  },
  'preview-image': preview,
  'build-look': {
    output: outputs.builtLook,
    isPossible: async ({ hasOriginal, samples, samplesDir }, { look, unfit }) =>
      unfit.every((index) => index < hasOriginal.length) &&
      (look === null) === unfit.length > 0 &&
      (look === null || (await arePreviews(samplesDir, samples, MAX_PREVIEW_SIDE))),
  },
  'preview-pdf-image': preview,
  'preview-pdf-page': preview,
  'try-image': { output: outputs.imageTrial, isPossible: isTrial },
  'try-pdf-page': { output: outputs.pdfPageTrial, isPossible: isTrial },
  'list-pdf-pages': { output: outputs.pageList, limits: LIST_LIMITS },
  'list-pdf-images': { output: outputs.pdfImages, limits: LIST_LIMITS },
  'list-enhanced-pdf-images': { output: outputs.enhancedPdfImages, limits: LIST_LIMITS },
  'describe-pdf-images': { output: outputs.reportedImages },
  'write-report': { output: outputs.nothing, file: pdfAt },
};

/** Whether the order asks for the changes of pages in a result. Only pages that are cleaned or read turn. */
const isOrdered = (
  { archive, mode, pages, split, text }: PdfParameters,
  made: PageChanges & Pick<AssembledPdf, 'split'>,
): boolean =>
  (!made.archived || archive) &&
  (made.textPages === 0 || text) &&
  (made.turnedPages === 0 || text || mode === 'DOCUMENT') &&
  (made.split.length === 0 || split) &&
  made.dropped.every((page) => pages?.[page] === 'DROP');

/**
 * Whether work and file of a result belong together. Each changed image is a stream of the original, so the work has at most as
 * many images as that has streams. A result without work or other changes is the original, byte for byte.
 */
async function isCharged(
  { inputPath, outputPath, paidExcept }: { inputPath: string; outputPath: string; paidExcept?: readonly number[][] },
  made: AssembledPdf,
): Promise<boolean> {
  const { work: done, paid } = made;
  if (!isPaidExpected(paidExcept, paid)) return false;
  if (total(done, paid) > 0) return total(done, paid) <= (await countStreams(inputPath));
  if (!isOriginal(made)) return true;
  if ((await stat(outputPath)).size !== (await stat(inputPath)).size) return false;
  return (await computeDigest(inputPath)).equals(await computeDigest(outputPath));
}

/** Number of pictures whose text was read for a result. */
const countReadings = async (folder: string): Promise<number> =>
  (await readdir(folder)).filter((file) => file.startsWith(readingName(''))).length;

/** Work may be paid already only where the task names what earlier enhancements left. */
const isPaidExpected = (paidExcept: unknown, paid: PdfWork | undefined): boolean =>
  paidExcept !== undefined || total(paid) === 0;

async function computeDigest(path: string): Promise<Buffer> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest();
}

/**
 * Checks the result of a task by its schema, by what the parent knows of the input, and by the files that the parent has collected.
 * @returns the output without unknown fields
 * @throws an error for a result that the code of the task cannot have
 */
export async function checkResult(check: ResultCheck, input: unknown, output: unknown): Promise<unknown> {
  const { output: schema, file, isPossible } = check as unknown as ResultCheck<unknown, unknown>;
  const known = schema.parse(output);
  const expected = file?.(input, known);
  if (expected !== undefined) {
    const found = await detectMediaType(await head(expected.path));
    if (found !== expected.type) throw new Error(`The result is ${found ?? 'unknown'} instead of ${expected.type}.`);
  }
  if ((await isPossible?.(input, known)) === false) throw new Error('The result is not possible for this file.');
  return known;
}

async function head(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(DETECT_BYTES), 0, DETECT_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const KEYWORD = Buffer.from('stream');
const END = Buffer.from('end');
const OVERLAP = KEYWORD.length + END.length - 1;

/**
 * Counts the keyword `stream` in the bytes of a PDF (ISO 32000-1 section 7.3.8): at least the number of its streams, since a stream lies in no
 * other one, and encryption leaves the keyword. It parses nothing, so that a parent may call it on a hostile file, and reads about
 * a gigabyte a second.
 */
async function countStreams(path: string): Promise<number> {
  let count = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 ** 2 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    for (let at = bytes.indexOf(KEYWORD); at !== -1; at = bytes.indexOf(KEYWORD, at + KEYWORD.length)) {
      const isNew = at + KEYWORD.length > rest.length;
      if (isNew && !bytes.subarray(Math.max(0, at - END.length), at).equals(END)) count += 1;
    }
    rest = bytes.subarray(-OVERLAP);
  }
  return count;
}
