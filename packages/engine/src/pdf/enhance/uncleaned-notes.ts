import { nameOfKind } from '../../contract/image-kinds.ts';
import type { LeftAloneReason } from '../../contract/left-alone.ts';
import type { BilevelPicture, EligibleImage } from '../analyze/facts.ts';
import { isLeftOut } from '../analyze/left-out.ts';
import { findChoice, isWhole, type PdfPlan } from '../analyze/work.ts';
import type { NeedlessReason } from './enhance-image.ts';
import { joinNames } from './join-names.ts';

/** Outcome of the pictures of a plan that were not cleaned, by object number. */
export interface Uncleaned {
  /** They keep their samples */
  kept: ReadonlyMap<number, NeedlessReason | LeftAloneReason>;
  /** They were enlarged without being cleaned */
  enlarged: ReadonlyMap<number, NeedlessReason>;
}

/** Why a picture is not cleaned, in words after a colon. */
const REASONS: Partial<Record<NeedlessReason | LeftAloneReason, string>> = {
  'needs-nothing': 'a page without anything to clean',
  clean: 'a clean page',
  'no-paper': 'a picture with too little paper',
  'no-ink': 'paper without ink',
  'no-page': 'a picture with neither text nor strokes of ink on paper',
  inks: 'a picture in CMYK',
  damaged: 'damaged data',
  'single-color': 'a picture of one colour',
};

/**
 * Returns notes on the pictures that an order in mode DOCUMENT does not clean: one for each reason, with the pages.
 * Pages and images that the order itself excludes have none, nor have pictures that exceed the size of the result.
 */
export function notesOnUncleaned(plan: PdfPlan, { kept, enlarged }: Uncleaned): string[] {
  const { facts, parameters, work } = plan;
  const planned = new Map(work.map((each) => [each.number, each]));
  const leavesOut = isLeftOut(parameters);
  const pages = { kept: new Map<string, Set<number>>(), enlarged: new Map<string, Set<number>>() };
  for (const image of [...facts.eligible, ...facts.bilevel]) {
    if (leavesOut(image)) continue;
    const each = planned.get(image.number);
    const isCleaned = each?.clean !== undefined;
    const result = kept.get(image.number) ?? enlarged.get(image.number);
    if (isCleaned && result === undefined) continue;
    const reason = isCleaned ? REASONS[result!] : whyNotPlanned(image, plan);
    if (reason === undefined) continue;
    const isKept = each === undefined || kept.has(image.number);
    const listed = isKept ? pages.kept : pages.enlarged;
    const numbers = listed.get(reason) ?? new Set<number>();
    listed.set(reason, numbers);
    for (const page of image.drawnOn) numbers.add(page);
  }
  const note = (numbers: ReadonlySet<number>, [one, several]: readonly [string, string], reason: string): string => {
    const sorted = [...numbers].toSorted((a, b) => a - b);
    return `${sorted.length === 1 ? 'Page' : 'Pages'} ${joinNames(sorted)} ${sorted.length === 1 ? one : several}: ${reason}.`;
  };
  return [
    ...[...pages.kept].map(([reason, numbers]) => note(numbers, KEPT, reason)),
    ...[...pages.enlarged].map(([reason, numbers]) => note(numbers, ENLARGED, reason)),
  ];
}

/** What pages have, for one and for several. */
const KEPT = ['keeps an image as it is, at no charge', 'keep images as they are, at no charge'] as const;
const ENLARGED = [
  'has an image that is enlarged but not cleaned',
  'have images that are enlarged but not cleaned',
] as const;

/** @returns undefined for a picture that the order itself excludes */
function whyNotPlanned(image: EligibleImage | BilevelPicture, { parameters }: PdfPlan): string | undefined {
  if ('reason' in image) return 'a picture of one bit per pixel';
  if (findChoice(image, parameters.images)?.color === false) return undefined;
  if (!image.color) return 'a picture whose colours cannot change';
  if (!isWhole(image)) return 'a picture that a mask hides in part';
  return `${nameOfKind(image.shows)} that fills no page`;
}
