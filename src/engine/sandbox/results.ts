import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { priceOfPdf, type PdfWork } from '../../domain/enhancement/parameters.ts';
import { IMAGE_KIND_NAMES, KIND_REASON_NAMES } from '../../domain/enhancement/image-kinds.ts';
import { PRICES, STEP_FEATURES, type StepName } from '../../domain/enhancement/parameter-table.ts';
import { MAX_OUTPUT_PIXELS, MAX_PREVIEW_SIDE } from '../../domain/enhancement/result-size.ts';
import { MAX_REPORTED_IMAGES } from '../../domain/report.ts';
import { DETECT_BYTES, INPUT_MEDIA_TYPES, OUTPUT_FORMAT_FACTS, type MediaType } from '../../domain/upload/media.ts';
import type { PdfAnalysis } from '../../domain/upload/upload.ts';
import { MAX_AREAS_PER_PAGE, MAX_LISTED_PDF_IMAGES, MAX_LISTED_PDF_PAGES } from '../../domain/upload/preview.ts';
import { detectMediaType } from '../detect.ts';
import { MAX_INPUT_PIXELS } from '../limits.ts';
import { MAX_SPANS } from '../pdf/enhance/spans.ts';
import { countStreams } from './count-streams.ts';
import { readImageSize } from './image-size.ts';
import type { TaskInput, TaskName, TaskOutput } from '../tasks.ts';

/** Names of steps and networks, and notes, of one result. Workflows carry them, and their payloads are limited. */
const [MAX_NAMES, MAX_NAME_LENGTH, MAX_NOTES_LENGTH] = [100, 100, 20_000];

/** Facts of a PDF, in bytes of JSON: some hundred for each image. Storage keeps them, and every estimate reads them. */
const MAX_FACTS_BYTES = 512 * 1024 ** 2;
/** The shortest stream of a PDF: `1 0 obj<<>>stream`, `endstream` and `endobj` with their ends of lines (ISO 32000-1 section 7.3.8). */
const MIN_STREAM_BYTES = 35;

const count = z.int().min(0);
const side = z.int().min(1);
const names = z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_NAMES);
const notes = z
  .array(z.string())
  .refine((all) => all.reduce((sum, note) => sum + note.length, 0) <= MAX_NOTES_LENGTH, 'too long');
const nothing = z.undefined();

const within =
  (pixels: number) =>
  ({ width, height }: { width: number; height: number }): boolean =>
    width * height <= pixels;

const imageFacts = z
  .object({
    mimetype: z.enum(INPUT_MEDIA_TYPES),
    width: side,
    height: side,
    frames: count,
    bitDepth: z.number(),
    colourSpace: z.enum(['rgb', 'grey', 'cmyk', 'other']),
    hasAlpha: z.boolean(),
    hasProfile: z.boolean(),
    orientation: z.number(),
    notes,
  })
  .refine(within(MAX_INPUT_PIXELS));

const enhancedImage = z
  .object({
    mimetype: z.enum(Object.values(OUTPUT_FORMAT_FACTS).map(({ mediaType }) => mediaType)),
    width: side,
    height: side,
    steps: z.array(z.enum(Object.keys(STEP_FEATURES) as StepName[])).max(MAX_NAMES),
    models: names,
    fellBack: z.boolean(),
    fidelity: z.object({ psnr: z.number().nullable(), maxDifference: z.number().min(0).max(255) }).exactOptional(),
    notes,
  })
  .refine(within(MAX_OUTPUT_PIXELS));

const work = z.object({ colorOnly: count, resizeOnly: count, both: count, masksOnly: count.optional() });
const total = (...all: (PdfWork | undefined)[]): number =>
  all.reduce((sum, each) => sum + (each ? each.colorOnly + each.resizeOnly + each.both + (each.masksOnly ?? 0) : 0), 0);

const analysis = z
  .object({
    totalCredits: count,
    statistics: z.object({
      pages: count,
      images: count,
      colorEligible: count,
      resizeEligible: count,
      kinds: z.partialRecord(z.enum(IMAGE_KIND_NAMES), count).optional(),
      signed: z.literal(true).optional(),
      mayExceedPixels: z.literal(true).optional(),
      belowTarget: count.optional(),
      lowestReached: z.number().min(0).optional(),
      credits: z.object({ color: count, resize: count, colorAndResize: count }),
    }),
  })
  .refine(isPriced, 'the credits are not those of the counts');

/** Whether the credits of an analysis follow from its counts, for some number of images that have both changes. */
function isPriced({ totalCredits, statistics }: PdfAnalysis): boolean {
  const { images, colorEligible, resizeEligible, credits } = statistics;
  // An image with both changes costs as much as its resize alone.
  const both = (credits.color + credits.resize - totalCredits) / PRICES.color;
  return (
    Math.max(colorEligible, resizeEligible) <= images &&
    credits.color === colorEligible * PRICES.color &&
    credits.resize === resizeEligible * PRICES.upscaling &&
    credits.colorAndResize === totalCredits &&
    both >= 0 &&
    both <= Math.min(colorEligible, resizeEligible)
  );
}

const estimate = z
  .object({
    credits: count,
    work,
    paid: work.exactOptional(),
    bytes: count,
    pictures: z.object({ full: count, reduced: count, unchanged: count }),
  })
  .refine(({ credits, work: planned }) => credits === priceOfPdf(planned), 'the credits are not those of the work')
  .refine(
    ({ work: planned, paid, pictures: { full, reduced, unchanged } }) =>
      full + reduced + unchanged <= total(planned, paid),
    'the pictures are not those of the work',
  );

const assembled = z
  .object({
    pages: count,
    images: count,
    enhanced: count,
    skipped: z.array(z.object({ reason: z.string().max(MAX_NAME_LENGTH), count: side })).max(MAX_NAMES),
    work,
    paid: work.exactOptional(),
    notes,
  })
  // Each rewritten image belongs to charged or paid work.
  .refine(({ enhanced, work: done, paid }) => enhanced === 0 || total(done, paid) > 0, 'enhanced without work');

const planned = z
  .object({
    images: side,
    spans: z
      .array(z.object({ from: count, to: side }))
      .min(1)
      .max(MAX_SPANS),
  })
  .refine(
    ({ images, spans }) =>
      spans.every(({ from, to }, index) => from === (spans[index - 1]?.to ?? 0) && to > from) &&
      spans.at(-1)!.to === images,
    'the spans are not those of the images',
  );

const pdfImage = {
  number: count,
  page: count,
  pages: count,
  width: count,
  height: count,
  resolution: z.number().nullable(),
};
const size = { width: z.number(), height: z.number() };
const area = z.object({ number: count, left: z.number(), top: z.number(), ...size });
const imageList = <T extends z.ZodRawShape>(more: T) =>
  z.object({ total: count, images: z.array(z.object({ ...pdfImage, ...more })).max(MAX_LISTED_PDF_IMAGES) });
const reportedImages = z.object({
  total: count,
  below: count,
  work,
  shortfall: z.object({ images: side, lowest: count }).nullable(),
  images: z
    .array(
      z.object({
        ...pdfImage,
        after: z.object({ ...size, resolution: z.number().nullable() }).nullable(),
        outcome: z.string().max(1_000),
        price: z.object({ min: count, max: count }).nullable(),
        shown: z.boolean(),
      }),
    )
    .max(MAX_REPORTED_IMAGES),
});
const pageList = z.object({
  total: count,
  pages: z
    .array(z.object({ page: side, ...size, images: z.array(area).max(MAX_AREAS_PER_PAGE) }))
    .max(MAX_LISTED_PDF_PAGES),
});

/** What the parent knows about the result of a task before it believes it. */
export interface ResultCheck<Input = never, Output = never> {
  output: z.ZodType;
  file?: (input: Input, output: Output) => { path: string; type: MediaType } | undefined;
  isPossible?: (input: Input, output: Output) => Promise<boolean>;
}

const pdfAt = ({ outputPath }: { outputPath: string }) => ({ path: outputPath, type: 'application/pdf' as const });
/** A picture of at most the size that was asked for. */
const preview: ResultCheck<{ outputPath: string; side: number | null }, void> = {
  output: nothing,
  file: ({ outputPath }) => ({ path: outputPath, type: 'image/webp' }),
  isPossible: async ({ outputPath, side }) => {
    const { width, height } = await readImageSize(outputPath, 'image/webp');
    return Math.max(width, height) <= (side ?? MAX_PREVIEW_SIDE);
  },
};

export const TASK_RESULTS: { [T in TaskName]: ResultCheck<TaskInput<T>, TaskOutput<T>> } = {
  'inspect-image': { output: imageFacts },
  'enhance-image': {
    output: enhancedImage,
    file: ({ outputPath }, { mimetype }) => ({ path: outputPath, type: mimetype }),
    isPossible: async ({ outputPath }, { mimetype, width, height }) => {
      const found = await readImageSize(outputPath, mimetype);
      return found.width === width && found.height === height;
    },
  },
  'analyze-pdf': {
    output: analysis,
    // An image has more than one byte, and an eligible one is a stream of its own.
    isPossible: async ({ inputPath, factsPath }, { statistics: { images, colorEligible, resizeEligible } }) =>
      (await stat(factsPath)).size <= MAX_FACTS_BYTES &&
      images < (await stat(inputPath)).size &&
      Math.max(colorEligible, resizeEligible) <= (await countStreams(inputPath)),
  },
  'estimate-pdf': {
    output: estimate,
    isPossible: async ({ inputPath, fileBytes, paidExcept }, { work: planned, paid }) =>
      isPaidExpected(paidExcept, paid) &&
      total(planned, paid) <=
        (inputPath === undefined ? Number(fileBytes) / MIN_STREAM_BYTES : await countStreams(inputPath)),
  },
  'enhance-or-plan-pdf': {
    output: z.union([assembled, planned]),
    file: (input, output) => ('spans' in output ? undefined : pdfAt(input)),
    isPossible: async (input, output) => 'spans' in output || (await isCharged(input, output)),
  },
  'enhance-pdf-span': { output: nothing },
  'assemble-pdf': { output: assembled, file: pdfAt, isPossible: isCharged },
  'preview-image': preview,
  'preview-pdf-image': preview,
  'preview-pdf-page': preview,
  'list-pdf-pages': { output: pageList },
  'list-pdf-images': {
    output: imageList({
      kind: z.enum(IMAGE_KIND_NAMES).nullable(),
      kindReason: z.enum(KIND_REASON_NAMES).nullable(),
    }),
  },
  'list-enhanced-pdf-images': { output: imageList({ enhanced: z.object(size), maskOnly: z.boolean() }) },
  'describe-pdf-images': { output: reportedImages },
  'write-report': { output: nothing, file: pdfAt },
};

/**
 * Whether work and file of a result belong together. Each changed image is a stream of the original, so the work has at most as
 * many images as that has streams. A result without work is the original, byte for byte.
 */
async function isCharged(
  { inputPath, outputPath, paidExcept }: { inputPath: string; outputPath: string; paidExcept?: readonly number[][] },
  { work: done, paid }: { work: PdfWork; paid?: PdfWork | undefined },
): Promise<boolean> {
  if (!isPaidExpected(paidExcept, paid)) return false;
  if (total(done, paid) > 0) return total(done, paid) <= (await countStreams(inputPath));
  if ((await stat(outputPath)).size !== (await stat(inputPath)).size) return false;
  return (await computeDigest(inputPath)).equals(await computeDigest(outputPath));
}

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
