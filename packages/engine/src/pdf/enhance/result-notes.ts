import {
  SKEW_REASONS,
  UNDROPPED_REASONS,
  UNREAD_REASONS,
  UNSPLIT_REASONS,
  type ArchiveRemoval,
  type NotedNumbers,
  type PdfNote,
  type SkewReason,
  type UndroppedReason,
  type UnsplitReason,
  keptPages,
  MAX_JPEG_SIDE,
} from '@burnish/contract/engine';
import { findShortfall } from '../analyze/shortfall.ts';
import { MAX_SCALE, type PdfPlan } from '../analyze/work.ts';
import { REDUCED_QUALITY } from './encode-picture.ts';
import { isOriginal } from './is-original.ts';
import type { AddedText } from '../text/add-text.ts';
import type { SizeStep } from './enhance-image.ts';
import { mostBytes } from './growth.ts';
import { notesOnUncleaned, type Uncleaned, noteNumbers } from './uncleaned-notes.ts';

/** What the assembly of a result found, for its notes. */
export interface Assembly extends Uncleaned, Record<SizeStep | 'tooMuch', readonly number[]> {
  /** Number of changed images */
  enhanced: number;
  text: AddedText;
  /** Pages that turned upright by quarters */
  upright: readonly number[];
  /** Number of pages that were straightened */
  turned: number;
  /** Pages whose dark surround of the paper became white */
  trimmed: readonly number[];
  /** Pages that stay skewed by more than one degree */
  skewed: ReadonlyMap<number, SkewReason>;
  /** Pages with a spread whose two pages could not turn by themselves */
  together: readonly number[];
  /** Number of pages that are two pages now */
  split: number;
  /** Pages with a fold that stay one page */
  unsplit: ReadonlyMap<number, UnsplitReason>;
  /** Pages that the result lacks, in order */
  dropped: readonly number[];
  /** Pages that stay although the order drops them */
  undropped: ReadonlyMap<number, UndroppedReason>;
  /** What the result lacks as PDF/A; absent where it is none */
  removed?: readonly ArchiveRemoval[];
  /** The JPEG quality of images that have a lower one because of `maxBytes` */
  fitted: ReadonlyMap<number, number>;
  /** Whether the original is linearized */
  linearized: boolean;
}

/** Notes on the file alone, which explain no image. */
const ON_FILE = new Set<PdfNote['code']>(['ARCHIVED', 'LINEARIZATION_LOST', 'STRUCTURE_REPAIRED']);

/** Returns the notes on the result of a PDF. */
export function notesOnResult(plan: PdfPlan, assembly: Assembly): PdfNote[] {
  const { facts, parameters } = plan;
  const { enhanced, kept, text, upright, turned, trimmed, skewed, together, linearized, removed, tooMuch } = assembly;
  const { dropped } = assembly;
  const counts = { enhanced, textPages: text.pages, turnedPages: upright.length, dropped };
  const isEnhanced = !isOriginal({ ...counts, archived: false });
  const isChanged = !isOriginal({ ...counts, archived: removed !== undefined });
  const isDocument = parameters.mode === 'DOCUMENT';
  const notes: PdfNote[] = [...noteShortfall(plan)];
  const strangers = findStrangers(facts, parameters);
  if (strangers.length > 0) notes.push({ code: 'COLORS_CANNOT_CHANGE', images: noteNumbers(strangers) });
  const original = keptPages(parameters.pages);
  if (original.length > 0) notes.push({ code: 'PAGES_KEPT', pages: noteNumbers(original) });
  notes.push(...notesOnDropped(plan, assembly));
  if (facts.rebuilt && isChanged) notes.push({ code: 'STRUCTURE_REPAIRED' });
  if (removed !== undefined) notes.push({ code: 'ARCHIVED', removed });
  if (linearized && isChanged) notes.push({ code: 'LINEARIZATION_LOST' });
  if (upright.length > 0) notes.push({ code: 'PAGES_TURNED', pages: noteNumbers(upright.toSorted((a, b) => a - b)) });
  if (turned > 0) notes.push({ code: 'PAGES_STRAIGHTENED', pages: turned });
  if (trimmed.length > 0)
    notes.push({ code: 'SURROUNDS_WHITENED', pages: noteNumbers(trimmed.toSorted((a, b) => a - b)) });
  for (const [because, pages] of pagesByReason(skewed, SKEW_REASONS))
    notes.push({ code: 'PAGES_SKEWED', pages, because });
  if (together.length > 0)
    notes.push({ code: 'SPREADS_TURNED_TOGETHER', pages: noteNumbers(together.toSorted((a, b) => a - b)) });
  notes.push(...notesOnSize(plan, assembly));
  if (parameters.text) notes.push(...notesOnText(plan, text));
  const untouched = [...kept.values()].filter((reason) => reason === 'needs-nothing').length;
  if (isDocument) notes.push(...notesOnUncleaned(plan, assembly));
  else if (untouched > 0) notes.push({ code: 'NEED_NOTHING', images: untouched });
  const isExplained =
    untouched > 0 || tooMuch.length > 0 || (isDocument && notes.some(({ code }) => !ON_FILE.has(code)));
  if (!isEnhanced && !isExplained)
    notes.push({ code: 'NO_IMAGE_CHANGED', because: isDocument ? 'no-page' : 'needless' });
  if (parameters.split) notes.push(...notesOnSplit(plan, assembly));
  return notes;
}

function notesOnDropped({ facts }: PdfPlan, { dropped, undropped }: Assembly): PdfNote[] {
  const still = pagesByReason(undropped, UNDROPPED_REASONS);
  return [
    ...(dropped.length === 0
      ? []
      : [{ code: 'PAGES_DROPPED', pages: noteNumbers(dropped), of: facts.pages } satisfies PdfNote]),
    ...still.map(([because, pages]): PdfNote => ({ code: 'PAGES_NOT_DROPPED', pages, because })),
  ];
}

function notesOnSplit({ facts }: PdfPlan, { split, unsplit }: Assembly): PdfNote[] {
  const whole = pagesByReason(unsplit, UNSPLIT_REASONS);
  return [
    { code: 'PAGES_SPLIT', pages: split, of: facts.pages },
    ...whole.map(([because, pages]): PdfNote => ({ code: 'SPREADS_NOT_SPLIT', pages, because })),
  ];
}

function notesOnText({ facts }: PdfPlan, { pages, unread }: AddedText): PdfNote[] {
  const without = pagesByReason(unread, UNREAD_REASONS);
  return [
    { code: 'TEXT_ADDED', pages, of: facts.pages },
    ...without.map(([because, numbers]): PdfNote => ({ code: 'TEXT_NOT_ADDED', pages: numbers, because })),
  ];
}

/** Returns the pages of each reason that some have, in order. */
const pagesByReason = <Reason>(
  pages: ReadonlyMap<number, Reason>,
  reasons: readonly Reason[],
): (readonly [Reason, NotedNumbers])[] =>
  reasons.flatMap((because) => {
    const numbers = [...pages].flatMap(([page, reason]) => (reason === because ? [page] : []));
    return numbers.length === 0 ? [] : [[because, noteNumbers(numbers.sort((a, b) => a - b))] as const];
  });

function noteShortfall({ facts, parameters }: PdfPlan): PdfNote[] {
  const shortfall = findShortfall(facts, parameters);
  if (shortfall === null) return [];
  const { images, lowest, highest } = shortfall;
  const most = { mostTimes: MAX_SCALE, mostSide: MAX_JPEG_SIDE };
  const target = parameters.targetResolution;
  const reached = { lowest: Math.floor(lowest), highest: Math.floor(highest) };
  return [{ code: 'BELOW_TARGET', images, ...reached, target, ...most }];
}

/** Returns the notes on what keeps a PDF within its maximum size. */
function notesOnSize(plan: PdfPlan, { coarser, fitted, smaller, tooMuch }: Assembly): PdfNote[] {
  const most = { mostBytes: mostBytes(plan) };
  const notes: PdfNote[] = [];
  if (coarser.length > 0)
    notes.push({ code: 'QUALITY_REDUCED', images: noteNumbers(coarser), ...most, quality: REDUCED_QUALITY });
  if (fitted.size > 0) {
    const images = noteNumbers([...fitted.keys()]);
    notes.push({ code: 'QUALITIES_FITTED', images, ...most, quality: Math.min(...fitted.values()) });
  }
  if (smaller.length > 0) notes.push({ code: 'ENLARGED_LESS', images: noteNumbers(smaller), ...most });
  if (tooMuch.length > 0) notes.push({ code: 'KEPT_FOR_SIZE', images: noteNumbers(tooMuch), ...most });
  return notes;
}

/** Returns the numbers in an order that name no image of the PDF, or that ask for colours where none can change. */
function findStrangers({ eligible }: PdfPlan['facts'], { images = {} }: PdfPlan['parameters']): number[] {
  const allows = new Map(
    eligible.flatMap(({ color, number, parts }) =>
      (parts ?? [{ number }]).map((part) => [String(part.number), color] as const),
    ),
  );
  return Object.keys(images)
    .filter((number) => !(allows.get(number) ?? false) && (images[number]!.color || !allows.has(number)))
    .map(Number);
}
