import {
  type LeftAloneReason,
  PAGE_IMAGE_REASONS,
  type PageImageReason,
  type PdfNote,
  MAX_NOTED_NUMBERS,
  type NotedNumbers,
} from '@burnish/contract/engine';
import type { BilevelPicture, EligibleImage } from '../analyze/facts.ts';
import { isLeftOut } from '../analyze/left-out.ts';
import { findChoice, isWhole, type PdfPlan } from '../analyze/work.ts';
import type { NeedlessReason } from './enhance-image.ts';

/** Bounds the numbers of pages or images that a note lists. */
export const noteNumbers = (numbers: readonly number[]): NotedNumbers => ({
  first: numbers.slice(0, MAX_NOTED_NUMBERS),
  count: numbers.length,
});

/** Outcome of the pictures of a plan that were not cleaned, by object number. */
export interface Uncleaned {
  /** They keep their samples */
  kept: ReadonlyMap<number, NeedlessReason | LeftAloneReason>;
  /** They were enlarged without being cleaned */
  enlarged: ReadonlyMap<number, NeedlessReason>;
}

/**
 * Returns notes on the pictures that an order in mode DOCUMENT does not clean: one for each reason, with the pages.
 * Pages and images that the order itself excludes have none, nor have pictures that exceed the size of the result.
 */
export function notesOnUncleaned(plan: PdfPlan, { kept, enlarged }: Uncleaned): PdfNote[] {
  const { facts, parameters, work } = plan;
  const planned = new Map(work.map((each) => [each.number, each]));
  const leavesOut = isLeftOut(parameters);
  const pages = { kept: new Map<PageImageReason, Set<number>>(), enlarged: new Map<PageImageReason, Set<number>>() };
  for (const image of [...facts.eligible, ...facts.bilevel]) {
    if (leavesOut(image)) continue;
    const each = planned.get(image.number);
    const isCleaned = each?.clean !== undefined;
    const result = kept.get(image.number) ?? enlarged.get(image.number);
    if (isCleaned && result === undefined) continue;
    const reason = isCleaned ? PAGE_IMAGE_REASONS.find((known) => known === result) : whyNotPlanned(image, plan);
    if (reason === undefined) continue;
    const isKept = each === undefined || kept.has(image.number);
    const listed = isKept ? pages.kept : pages.enlarged;
    const numbers = listed.get(reason) ?? new Set<number>();
    listed.set(reason, numbers);
    for (const page of image.drawnOn) numbers.add(page);
  }
  const note =
    (isEnlarged: boolean) =>
    ([because, numbers]: [PageImageReason, ReadonlySet<number>]): PdfNote => {
      const sorted = [...numbers].toSorted((a, b) => a - b);
      return { code: 'PAGES_NOT_CLEANED', pages: noteNumbers(sorted), enlarged: isEnlarged, because };
    };
  return [...[...pages.kept].map(note(false)), ...[...pages.enlarged].map(note(true))];
}

/** @returns undefined for a picture that the order itself excludes */
function whyNotPlanned(image: EligibleImage | BilevelPicture, { parameters }: PdfPlan): PageImageReason | undefined {
  if ('reason' in image) return 'one-bit';
  if (findChoice(image, parameters.images)?.color === false) return undefined;
  if (!image.color) return 'fixed-colors';
  return isWhole(image) ? image.shows.kind : 'masked';
}
