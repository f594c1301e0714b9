import type { ExpectedPictures } from '../../../domain/enhancement/parameters.ts';
import type { BilevelPicture, EligibleImage } from '../analyze/facts.ts';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import { leastScale } from '../analyze/work.ts';
import { OBJECT_BYTES } from './encoded-object.ts';
import type { NewBytes } from './growth.ts';

/**
 * Model of the bytes of an enlarged picture from its original bytes, with the formula
 * bytes · factor · (pixels after ÷ pixels before) ^ power · (bytes before ÷ pixels before) ^ density.
 */
interface Growth {
  factor: number;
  power: number;
  density: number;
}

/** Fitted to 193 enlargements of up to 4 times, that of JPEG 2000 to one; docs/pdf.md states the error. */
const PHOTOGRAPH: Record<EligibleImage['coding'], Growth> = {
  jpeg: { factor: 1, power: 0.55, density: 0 },
  jpx: { factor: 0.65, power: 0.55, density: 0 },
  lossless: { factor: 0.25, power: 0.35, density: 0 },
};
const DRAWING: Record<EligibleImage['coding'], Growth> = {
  jpeg: { factor: 0.8, power: 0.74, density: 0 },
  jpx: { factor: 0.8, power: 0.74, density: 0 },
  lossless: { factor: 0.105, power: 1.1, density: -0.72 },
};
/** By the reason to leave them alone, which names their coding. CCITT group 4 is larger than JBIG2. */
const BILEVEL: Partial<Record<BilevelPicture['reason'], Growth>> = {
  jbig2: { factor: 1.6, power: 0.5, density: 0 },
  ccitt: { factor: 1, power: 0.5, density: 0 },
};
const BILEVEL_SAMPLES: Growth = { factor: 0.9, power: 0.5, density: 0 };
/** Bytes of a clean page as a share of its scan, by `npm run bench:document -- --pdfs`. */
const CLEANED = 0.74;
/** Most bytes per pixel of a clean page at 200 pixels an inch, which noise in its scan does not change, and the fall with resolution. */
const INK = { density: 0.11, power: 0.8 } as const;
const MASK: Growth = { factor: 0.44, power: 0.96, density: 0 };
/** Bytes per pixel; the model clamps the density to this range. */
const DENSITY = { least: 0.001, most: 4 };
/** Approximate bytes per pixel of a mask that was stored with the samples of its image. */
const MASK_DENSITY = 0.03;

type Sized = Pick<PdfPlan, 'facts' | 'parameters' | 'work'>;

/** Returns the expected bytes of each picture of a plan, if its size is not limited. */
export function expectPictures({ facts, parameters, work }: Sized): NewBytes[] {
  const images = new Map(facts.eligible.map((image) => [image.number, image]));
  const bilevel = new Map(facts.bilevel.map((image) => [image.number, image]));
  const rewritten = parameters.compact || facts.rebuilt;
  return work.map((each) => {
    const image = (each.bilevel ? bilevel : images).get(each.number)!;
    const { samples, mask } = 'reason' in image ? newBilevelBytes(image, each) : newBytes(image, each);
    const objects = (samples === undefined ? 0 : (each.parts?.length ?? 1)) + (mask === undefined ? 0 : 1);
    const replaced = rewritten && samples !== undefined ? image.bytes : 0;
    return { bytes: Math.ceil((samples ?? 0) + (mask ?? 0) + objects * OBJECT_BYTES), replaced };
  });
}

export interface ExpectedSize {
  /** Expected size of the result, bytes */
  bytes: number;
  pictures: ExpectedPictures;
}

/** Returns the expected size of the result of a plan. */
export function expectSize(plan: PdfPlan): ExpectedSize {
  const { facts, parameters, work } = plan;
  const widths = new Map([...facts.eligible, ...facts.bilevel].map(({ number, width }) => [number, width]));
  const pictures = { full: 0, reduced: 0, unchanged: 0 };
  const bytes = expectPictures(plan).reduce((sum, { bytes, replaced }, i) => {
    const { number, width, most = Infinity, resize, maskOnly, bilevel } = work[i]!;
    const scale = (width / widths.get(number)!) * Math.sqrt(most / bytes);
    const isReduced = resize && !maskOnly && !bilevel && scale > leastScale(parameters);
    const step = bytes <= most ? 'full' : isReduced ? 'reduced' : 'unchanged';
    pictures[step] += 1;
    return step === 'unchanged' ? sum : sum + Math.min(bytes, most) - replaced;
  }, facts.fileBytes);
  return { bytes, pictures };
}

/** Returns the bytes of new samples and of a new mask; undefined for unchanged data. */
function newBytes(image: EligibleImage, work: ImageWork): { samples?: number; mask?: number } {
  const isLarger = work.width !== image.width || work.height !== image.height;
  const growth = (work.photograph ? PHOTOGRAPH : DRAWING)[image.coding];
  const same = work.color ? (work.clean ? cleanedBytes(image) : image.bytes) : undefined;
  const samples = isLarger ? grown(image, work, growth) : same;
  const { mask } = image;
  const before = mask && { ...mask, bytes: mask.bytes || mask.width * mask.height * MASK_DENSITY };
  return {
    ...(samples !== undefined && { samples }),
    ...(before && work.mask && { mask: grown(before, work.mask, MASK) }),
  };
}

function cleanedBytes({ width, height, bytes, resolution }: EligibleImage): number {
  const most = resolution ? width * height * INK.density * (200 / resolution) ** INK.power : Infinity;
  return Math.min(CLEANED * bytes, most);
}

function newBilevelBytes(image: BilevelPicture, work: ImageWork): { samples: number; mask?: number } {
  return { samples: grown(image, work, BILEVEL[image.reason] ?? BILEVEL_SAMPLES) };
}

interface Extent {
  width: number;
  height: number;
}

function grown(before: Extent & { bytes: number }, after: Extent, { factor, power, density }: Growth): number {
  const pixels = before.width * before.height;
  const times = (after.width * after.height) / pixels;
  const perPixel = Math.min(DENSITY.most, Math.max(DENSITY.least, before.bytes / pixels));
  return before.bytes * factor * times ** power * perPixel ** density;
}
