import { z } from 'zod';
import {
  type PdfWork,
  IMAGE_KIND_NAMES,
  KIND_REASON_NAMES,
  LEFT_ALONE_REASONS,
  STEP_FEATURES,
  type StepName,
  MAX_OUTPUT_PIXELS,
  MAX_REPORTED_IMAGES,
  MAX_TRIED_ORDERS,
  MAX_UNCERTAIN_PAGES,
  UNREAD_REASONS,
  MAX_PAGE_CHOICES,
  MAX_SPLIT_PAGES,
  INPUT_MEDIA_TYPES,
  LOOK_LIMITS,
  LOOK_REFUSALS,
  OUTPUT_FORMAT_FACTS,
  MAX_AREAS_PER_PAGE,
  MAX_LISTED_PDF_IMAGES,
  MAX_LISTED_PDF_PAGES,
} from '@burnish/contract/engine';
import { lookValuesSchema } from '@burnish/contract/schemas';
import { MAX_INPUT_PIXELS } from '../limits.ts';
import { fileNotes, imageNotes, pdfNotes } from './note-schemas.ts';
import { imageOutcome } from './outcome-schema.ts';
import { MAX_SPANS } from '../pdf/enhance/spans.ts';
import { MAX_MARKS_LENGTH } from '../pdf/text/page-words.ts';

/* What the outputs of tasks can be. */

/** Names of steps and networks of one result. Workflows carry them, and their payloads are limited. */
const [MAX_NAMES, MAX_NAME_LENGTH] = [100, 100];

const count = z.int().min(0);
const side = z.int().min(1);
const names = z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_NAMES);
export const nothing = z.undefined();

const within =
  (pixels: number) =>
  ({ width, height }: { width: number; height: number }): boolean =>
    width * height <= pixels;

export const imageFacts = z
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
    notes: fileNotes,
  })
  .refine(within(MAX_INPUT_PIXELS));

export const fidelity = z.object({ psnr: z.number().nullable(), maxDifference: z.number().min(0).max(255) });

const figure = z.number();
export const builtLook = z.object({
  look: z
    .object({
      values: lookValuesSchema,
      proof: z.object({
        ...{ pictures: count, pairs: count },
        ...{ untouched: figure, enhance: figure, look: figure, gain: figure, error: figure, worst: figure },
      }),
      refused: z.enum(LOOK_REFUSALS).nullable(),
    })
    .nullable(),
  unfit: z.array(count).max(LOOK_LIMITS.most),
});

export const enhancedImage = z
  .object({
    mimetype: z.enum(Object.values(OUTPUT_FORMAT_FACTS).map(({ mediaType }) => mediaType)),
    width: side,
    height: side,
    steps: z.array(z.enum(Object.keys(STEP_FEATURES) as StepName[])).max(MAX_NAMES),
    models: names,
    fellBack: z.boolean(),
    fidelity: fidelity.exactOptional(),
    notes: imageNotes,
  })
  .refine(within(MAX_OUTPUT_PIXELS));

export const inspectedImage = z.object({ facts: imageFacts, enhanced: enhancedImage });

const trialOf = (tried: z.ZodType) => {
  const part = z.number().min(0).max(1);
  const area = z.object({ left: part, top: part, width: part, height: part });
  return z.object({ area, tried: z.array(tried).max(MAX_TRIED_ORDERS) });
};
export const imageTrial = trialOf(
  z.object({ steps: z.array(z.enum(Object.keys(STEP_FEATURES) as StepName[])).max(MAX_NAMES), notes: imageNotes }),
);
export const pdfPageTrial = trialOf(z.object({ enhanced: count, notes: pdfNotes }));

const pageNumbers = z.array(z.int().min(1));
const isInOrder = (pages: readonly number[]): boolean => pages.every((page, k) => k === 0 || page > pages[k - 1]!);

const work = z.object({ colorOnly: count, resizeOnly: count, both: count, masksOnly: count.optional() });
/** Number of images that the work changes. */
export const total = (...all: (PdfWork | undefined)[]): number =>
  all.reduce((sum, each) => sum + (each ? each.colorOnly + each.resizeOnly + each.both + (each.masksOnly ?? 0) : 0), 0);

export const findings = z
  .object({
    pages: count,
    images: count,
    work,
    kinds: z.partialRecord(z.enum(IMAGE_KIND_NAMES), count),
    blankPages: pageNumbers.max(MAX_PAGE_CHOICES).optional(),
    signed: z.literal(true).optional(),
    mayExceedPixels: z.literal(true).optional(),
    belowTarget: count.optional(),
    lowestReached: z.number().min(0).optional(),
  })
  .refine(({ images, work: planned }) => mostEligible(planned) <= images, 'more work than images')
  .refine(
    ({ pages, blankPages = [] }) => isInOrder(blankPages) && blankPages.every((page) => page <= pages),
    'other pages blank',
  );

/** Pictures that either change is planned for. */
export const mostEligible = ({ colorOnly, resizeOnly, both }: PdfWork): number =>
  Math.max(colorOnly, resizeOnly) + both;

export const estimate = z
  .object({
    work,
    paid: work.exactOptional(),
    bytes: count,
    range: z.object({ least: count, most: count }),
    pictures: z.object({ full: count, reduced: count, unchanged: count }),
  })
  .refine(({ range: { least, most } }) => least <= most, 'the range of the size is reversed')
  .refine(
    ({ work: planned, paid, pictures: { full, reduced, unchanged } }) =>
      full + reduced + unchanged <= total(planned, paid),
    'the pictures are not those of the work',
  );

export const assembled = z
  .object({
    pages: count,
    textPages: count,
    archived: z.boolean(),
    turnedPages: count,
    images: count,
    enhanced: count,
    skipped: z.array(z.object({ reason: z.enum(LEFT_ALONE_REASONS), count: side })).max(MAX_NAMES),
    work,
    paid: work.exactOptional(),
    notes: pdfNotes,
    uncertain: z.array(z.int().min(1)).max(MAX_UNCERTAIN_PAGES),
    dropped: pageNumbers.max(MAX_PAGE_CHOICES),
    split: pageNumbers.max(MAX_SPLIT_PAGES),
  })
  // Each rewritten image belongs to charged or paid work.
  .refine(({ enhanced, work: done, paid }) => enhanced === 0 || total(done, paid) > 0, 'enhanced without work')
  .refine(({ pages, textPages }) => textPages <= pages, 'text on more pages than there are')
  .refine(({ pages, turnedPages }) => turnedPages <= pages, 'more pages turned than there are')
  // A page is split only where its scan changed.
  .refine(
    ({ pages, enhanced, split }) => split.length <= enhanced && split.every((page) => page <= pages),
    'other pages split',
  )
  .refine(
    ({ pages, dropped }) => dropped.length < pages && dropped.every((page) => page <= pages),
    'other pages dropped',
  )
  .refine(({ split, dropped }) => [split, dropped].every(isInOrder), 'pages out of order');

export const scanToRead = z.union([
  z.object({
    scan: z
      .object({ width: side, height: side, resolution: side, upright: z.boolean() })
      .refine(within(MAX_OUTPUT_PIXELS)),
    marks: z.base64().max(MAX_MARKS_LENGTH).optional(),
  }),
  z.object({ unread: z.enum(UNREAD_REASONS).nullable() }),
]);

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

export const assembledOrPlanned = z.union([assembled, planned]);

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
export const reportedImages = z.object({
  total: count,
  below: count,
  work,
  shortfall: z.object({ images: side, lowest: count }).nullable(),
  images: z
    .array(
      z.object({
        ...pdfImage,
        after: z.object({ ...size, resolution: z.number().nullable() }).nullable(),
        outcome: imageOutcome,
        work: work.nullable(),
        shown: z.boolean(),
      }),
    )
    .max(MAX_REPORTED_IMAGES),
});
export const pageList = z.object({
  total: count,
  pages: z
    .array(z.object({ page: side, ...size, images: z.array(area).max(MAX_AREAS_PER_PAGE) }))
    .max(MAX_LISTED_PDF_PAGES),
});
export const pdfImages = imageList({
  kind: z.enum(IMAGE_KIND_NAMES).nullable(),
  kindReason: z.enum(KIND_REASON_NAMES).nullable(),
});
export const enhancedPdfImages = imageList({ enhanced: z.object(size), maskOnly: z.boolean() });
