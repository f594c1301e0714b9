import type { ExpectedPictures } from '@burnish/contract/engine';
import type { EligibleImage } from '../analyze/facts.ts';
import { isReadOnly } from '../analyze/reading.ts';
import { type ImageWork, type PdfPlan, leastScale } from '../analyze/work.ts';
import { OBJECT_BYTES } from './encoded-object.ts';
import type { NewBytes } from './growth.ts';

/**
 * Model of the bytes of an enlarged picture from its original bytes, with the formula
 * bytes · factor · (pixels after ÷ pixels before) ^ power.
 */
interface Growth {
  factor: number;
  power: number;
  /** Bytes that 5 and 95 % of such pictures stay below, as shares of the expected ones */
  spread: Spread;
}

type Spread = readonly [least: number, most: number];

/** Fitted to enlargements of up to 4 times in 183 files; docs/pdf-figures.md states the error in other files. */
const PHOTOGRAPH: Record<EligibleImage['coding'], Growth> = {
  jpeg: { factor: 1.1, power: 0.5, spread: [0.45, 2.2] },
  jpx: { factor: 0.65, power: 0.55, spread: [0.25, 4] },
  lossless: { factor: 0.25, power: 0.4, spread: [0.3, 5] },
};
const DRAWING: Record<EligibleImage['coding'], Growth> = {
  jpeg: { factor: 0.85, power: 0.6, spread: [0.3, 3] },
  jpx: { factor: 0.8, power: 0.6, spread: [0.25, 3] },
  lossless: { factor: 1.5, power: 0.4, spread: [0.25, 4] },
};
const MASK: Growth = { factor: 1, power: 0.5, spread: [0.35, 1.8] };
/** Least share of its allowed bytes that a picture takes once it is reduced to them. */
const LEAST_REDUCED = 0.4;
/** Samples that keep their size and coding, after a change of tone or colour. */
const RECODED: Spread = [0.7, 2];
const CLEANED_SPREAD: Spread = [0.25, 1.3];
/** Bytes of a clean page as a share of its scan, by `npm run bench:document -- --pdfs`. */
const CLEANED = 0.74;
/** Most bytes per pixel of a clean page at 200 pixels an inch, which noise in its scan does not change, and the fall with resolution. */
const INK = { density: 0.11, power: 0.8 } as const;
/** Most bytes of samples per pixel of a JPEG; its other bytes describe it. */
const MOST_JPEG_DENSITY = 2;
/** Least bytes of an object besides its data. */
const LEAST_OBJECT_BYTES = OBJECT_BYTES / 2;
/** Approximate bytes per pixel of a mask that was stored with the samples of its image. */
const MASK_DENSITY = 0.03;

/** Bytes of the text of a page. 20 pages of print take 4 to 12 kB, and 8 kB in the median; pages without words take none. */
export const TEXT_BYTES = { usual: 8_000, most: 25_000 } as const;

type Sized = Pick<PdfPlan, 'facts' | 'parameters' | 'work'>;

/** Expected bytes of a picture's new objects if its size is not limited, with those that 90 % of such pictures lie between. */
interface ExpectedBytes extends NewBytes {
  range: SizeRange;
}

/** Sizes in bytes that at least 90 % of results lie between. */
export interface SizeRange {
  least: number;
  most: number;
}

/** Returns the expected bytes of each picture of a plan, if its size is not limited. */
export function expectPictures({ facts, parameters, work }: Sized): ExpectedBytes[] {
  const images = new Map(facts.eligible.map((image) => [image.number, image]));
  const rewritten = parameters.compact || facts.rebuilt;
  return work.map((each) => {
    const image = images.get(each.number)!;
    const { samples, mask } = newBytes(image, each);
    const objects = (samples ? (each.parts?.length ?? 1) : 0) + (mask ? 1 : 0);
    const sum = (part: (data: Data) => number, object: number = OBJECT_BYTES): number =>
      Math.ceil((samples ? part(samples) : 0) + (mask ? part(mask) : 0) + objects * object);
    const replaced = rewritten && samples ? image.bytes : 0;
    return {
      bytes: sum(({ bytes }) => bytes),
      range: {
        least: sum(({ bytes, spread }) => bytes * spread[0], LEAST_OBJECT_BYTES),
        most: sum(({ bytes, spread }) => bytes * spread[1]),
      },
      replaced,
    };
  });
}

export interface ExpectedSize {
  /** Expected size of the result, bytes */
  bytes: number;
  range: SizeRange;
  pictures: ExpectedPictures;
}

/** Returns the expected size of the result of a plan. */
export function expectSize(plan: PdfPlan): ExpectedSize {
  const { facts, parameters } = plan;
  const work = plan.work.filter((each) => !isReadOnly(each));
  const { fileBytes } = facts;
  const widths = new Map(facts.eligible.map(({ number, width }) => [number, width]));
  const pictures = { full: 0, reduced: 0, unchanged: 0 };
  let bytes = fileBytes;
  // Pictures of one file are alike, so that all of them may be larger than expected, or all smaller.
  const range = { least: fileBytes, most: fileBytes };
  for (const [i, expected] of expectPictures({ facts, parameters, work }).entries()) {
    const { number, width, most = Infinity, resize, maskOnly } = work[i]!;
    const scale = (width / widths.get(number)!) * Math.sqrt(most / expected.bytes);
    const isReduced = resize && !maskOnly && scale > leastScale(parameters);
    const step = expected.bytes <= most ? 'full' : isReduced ? 'reduced' : 'unchanged';
    pictures[step] += 1;
    const added = (all: number): number => Math.min(all, most) - expected.replaced;
    if (step !== 'unchanged') bytes += added(expected.bytes);
    const mayStay = step === 'unchanged' || !resize || expected.range.most > 2 * most;
    const mayShrink = resize && expected.range.most > most;
    const fewest = mayShrink ? Math.min(expected.range.least, LEAST_REDUCED * most) : expected.range.least;
    const [least, mostAdded] = [added(fewest), added(expected.range.most)];
    range.least += mayStay ? Math.min(0, least) : least;
    range.most += mayStay ? Math.max(0, mostAdded) : mostAdded;
  }
  const read = plan.work.filter(({ reads }) => reads !== undefined).length;
  bytes += read * TEXT_BYTES.usual;
  range.most += read * TEXT_BYTES.most;
  return { bytes, range: { least: Math.max(1, range.least), most: range.most }, pictures };
}

/** Expected bytes of some data, and how far they may differ. */
interface Data {
  bytes: number;
  spread: Spread;
}

/** Returns the bytes of new samples and of a new mask; undefined for unchanged data. */
function newBytes(image: EligibleImage, work: ImageWork): { samples?: Data; mask?: Data } {
  const isLarger = work.width !== image.width || work.height !== image.height;
  const growth = (work.photograph ? PHOTOGRAPH : DRAWING)[image.coding];
  const recoded = work.clean
    ? { bytes: cleanedBytes(image), spread: CLEANED_SPREAD }
    : { bytes: image.bytes, spread: RECODED };
  const same = work.color ? recoded : undefined;
  const { width, height, coding, bytes } = image;
  const sampleBytes = coding === 'jpeg' ? Math.min(bytes, width * height * MOST_JPEG_DENSITY) : bytes;
  const samples = isLarger ? grown({ width, height, bytes: sampleBytes }, work, growth) : same;
  const { mask } = image;
  const before = mask && { ...mask, bytes: mask.bytes || mask.width * mask.height * MASK_DENSITY };
  return {
    ...(samples && { samples }),
    ...(before && work.mask && { mask: grown(before, work.mask, MASK) }),
  };
}

/** Knows no pages of one bit: only the clean samples show whether a page becomes one. */
function cleanedBytes({ width, height, bytes, resolution }: EligibleImage): number {
  const most = resolution ? width * height * INK.density * (200 / resolution) ** INK.power : Infinity;
  return Math.min(CLEANED * bytes, most);
}

interface Extent {
  width: number;
  height: number;
}

function grown(before: Extent & { bytes: number }, after: Extent, { factor, power, spread }: Growth): Data {
  const times = (after.width * after.height) / (before.width * before.height);
  return { bytes: before.bytes * factor * times ** power, spread };
}
