import { z } from 'zod';
import {
  ARCHIVE_REMOVALS,
  IMAGE_KIND_NAMES,
  OUTPUT_FORMAT_NAMES,
  ENLARGING_REASONS,
  MAX_NOTED_NUMBERS,
  PAGE_IMAGE_REASONS,
  SKEW_REASONS,
  LEFT_TONE_REASONS,
  UNCLEANED_REASONS,
  UNDROPPED_REASONS,
  UNREAD_REASONS,
  UNSPLIT_REASONS,
  type EngineNote,
  type FileNote,
  type ImageNote,
  type PdfNote,
} from '@burnish/contract/engine';

/* What the notes of a result can be. */

/** A result has fewer notes and names of networks in one. Workflows carry their sentences, and their payloads are limited. */
const [MAX_NOTES, MAX_NETWORKS, MAX_NAME_LENGTH] = [60, 8, 100];

/** The schema of each figure, by code. */
type Figures<Note extends EngineNote> = {
  [Code in Note['code']]: {
    [Name in Exclude<keyof Extract<Note, { code: Code }>, 'code'>]-?: z.ZodType<Extract<Note, { code: Code }>[Name]>;
  };
};

const count = z.int().min(0);
const figure = z.number();
const by = z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_NETWORKS);
const numbers = z.object({ first: z.array(count).max(MAX_NOTED_NUMBERS), count });
const notable = figure.exactOptional();
const mostBytes = figure;

const FILE_NOTES: Figures<FileNote> = {
  FIRST_FRAME_USED: { frames: count },
  FIRST_PAGE_USED: { pages: count },
  PRIMARY_PICTURE_USED: { pictures: count },
  THUMBNAIL_SKIPPED: {},
  GAIN_MAP_REMOVED: {},
  FURTHER_PICTURES_IGNORED: {},
};

const IMAGE_NOTES: Figures<ImageNote> = {
  ...FILE_NOTES,
  PAGE_NOT_CLEANED: { because: z.enum([...UNCLEANED_REASONS, 'one-bit']) },
  PAGE_TURNED: { degrees: figure },
  SPREAD_TURNED: { left: figure, right: figure },
  PAGE_SKEWED: { degrees: figure, because: z.enum(SKEW_REASONS) },
  SURROUND_WHITENED: {},
  PAGE_CLEANED: {},
  PAGE_LIGHT_EVENED: {},
  SPECKS_REMOVED: {},
  ENLARGED: { by, because: z.enum(ENLARGING_REASONS).nullable() },
  ENLARGED_FROM_JPEG: { by, quality: figure },
  ENLARGED_WITHOUT_DETAIL: { by, mostPixels: count },
  ENLARGED_IN_DETAIL: { by },
  FACES_NOT_DETECTED: { because: z.enum(['inks', 'no-network']) },
  FACES_TREATED: { faces: count },
  TONE_CORRECTED: { light: notable, contrast: notable, saturation: notable, warmth: notable },
  TONE_LEFT: { light: notable, warmth: notable, because: z.enum(LEFT_TONE_REASONS) },
  SHADOWS_BRIGHTENED: {},
  ARTIFACTS_NOT_REDUCED: { because: z.enum(['format', 'enlarging', 'quality']) },
  NOISE_TOO_LOW: {},
  NOISE_REDUCED: { levels: figure },
  TONE_UNCHANGED: { because: z.enum(['inks', 'needless']) },
  DRAWING_RECOGNIZED: {},
  RESIZED: { width: count, height: count },
  QUALITY_FITTED: { quality: figure, mostBytes },
  CONVERTED_TO_SRGB: {},
  TRANSPARENCY_REPLACED: { format: z.enum(OUTPUT_FORMAT_NAMES) },
  DEPTH_REDUCED: { bits: count },
  PNG_COLOUR_REMOVED: {},
  MAKER_NOTE_REMOVED: {},
  PRINT_SIZE: { width: figure, height: figure, dpi: figure },
  FIDELITY_MEASURED: { psnr: figure.nullable(), maxDifference: figure },
};

const PDF_NOTES: Figures<PdfNote> = {
  BELOW_TARGET: { images: count, lowest: count, highest: count, target: figure, mostTimes: figure, mostSide: count },
  COLORS_CANNOT_CHANGE: { images: numbers },
  PAGES_KEPT: { pages: numbers },
  PAGES_DROPPED: { pages: numbers, of: count },
  PAGES_NOT_DROPPED: { pages: numbers, because: z.enum(UNDROPPED_REASONS) },
  STRUCTURE_REPAIRED: {},
  ARCHIVED: { removed: z.array(z.enum(ARCHIVE_REMOVALS)).max(ARCHIVE_REMOVALS.length) },
  LINEARIZATION_LOST: {},
  PAGES_TURNED: { pages: numbers },
  PAGES_STRAIGHTENED: { pages: count },
  SURROUNDS_WHITENED: { pages: numbers },
  PAGES_SKEWED: { pages: numbers, because: z.enum(SKEW_REASONS) },
  SPREADS_TURNED_TOGETHER: { pages: numbers },
  PAGES_SPLIT: { pages: count, of: count },
  SPREADS_NOT_SPLIT: { pages: numbers, because: z.enum(UNSPLIT_REASONS) },
  QUALITY_REDUCED: { images: numbers, mostBytes, quality: figure },
  QUALITIES_FITTED: { images: numbers, mostBytes, quality: figure },
  ENLARGED_LESS: { images: numbers, mostBytes },
  KEPT_FOR_SIZE: { images: numbers, mostBytes },
  PAGES_NOT_CLEANED: {
    pages: numbers,
    enlarged: z.boolean(),
    because: z.enum([...PAGE_IMAGE_REASONS, ...IMAGE_KIND_NAMES]),
  },
  TEXT_ADDED: { pages: count, of: count },
  TEXT_NOT_ADDED: { pages: numbers, because: z.enum(UNREAD_REASONS) },
  NEED_NOTHING: { images: count },
  NO_IMAGE_CHANGED: { because: z.enum(['needless', 'no-page']) },
};

const listOf = (figures: Record<string, z.ZodRawShape>) => {
  const [first, ...others] = Object.entries(figures).map(([code, shape]) =>
    z.object({ code: z.literal(code), ...shape }),
  );
  return z.array(z.discriminatedUnion('code', [first!, ...others])).max(MAX_NOTES);
};

export const fileNotes = listOf(FILE_NOTES);
export const imageNotes = listOf(IMAGE_NOTES);
export const pdfNotes = listOf(PDF_NOTES);
