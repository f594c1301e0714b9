import {
  changesColor,
  CHARGED_MASK_SIDE,
  type PdfWork,
  type PdfParameters,
  type ImageChoices,
} from '@burnish/contract/engine';
import type { EligibleImage, MaskLayer, PdfFacts } from './facts.ts';
import { isLeftOut } from './left-out.ts';
import { assertWorkWithin, WORK_LIMITS } from '../work-limits.ts';
import type { PicturePart } from '../pages/neighbours.ts';

/**
 * Maximum enlargement: more adds no real resolution. The report lists images that stay below the target
 * (`shortfall.ts`).
 */
export const MAX_SCALE = 4;

export interface ImageWork {
  number: number;
  /** Pixels of the result; those of the picture when its samples keep their size */
  width: number;
  height: number;
  /** Pixels of the new mask, if there is one */
  mask?: { width: number; height: number };
  resize: boolean;
  color: boolean;
  /** The picture is cleaned as a page, or only if its samples prove that it is one; its colours change in no other way */
  clean?: 'page' | 'proved';
  /** Pixels of the clean page an inch, at its lowest drawn resolution */
  dpi?: number;
  /** Number of the page that this cleaned picture fills alone, from 1: the page may turn with it */
  turns?: number;
  /** Number of the page that this scan fills alone, from 1: its text is read */
  reads?: number;
  /** The picture is a photograph with enlarged samples, which may be coded as JPEG */
  photograph?: true;
  /** The picture is a drawing or a chart with enlarged samples, whose edges may be coded coarsely */
  drawn?: true;
  /** Only the mask of the picture is enlarged. A small mask is free. */
  maskOnly?: 'charged' | 'free';
  parts?: PicturePart[];
  /** Maximum bytes of its new objects, its share of the growth of the file */
  most?: number;
  /** `maxBytes` limits the growth: the picture gets the largest quality within its share */
  fits?: true;
}

/** Returns the scale above which an enlargement is worth its price. */
export const leastScale = ({ upscalingThreshold }: PdfParameters): number => Math.max(1.05, upscalingThreshold);

/** All planned work on a PDF, as JSON of about 100 bytes per image, for the caller that distributes its spans. */
export interface PdfPlan {
  format: 1;
  facts: PdfFacts;
  parameters: PdfParameters;
  work: ImageWork[];
}

/**
 * Returns the work that these parameters require, one entry per picture, by object number. @throws EngineError
 * TOO_MANY_PIXELS
 */
export function listWork(facts: PdfFacts, parameters: PdfParameters): ImageWork[] {
  const wantsColor = changesColor(parameters);
  const leavesOut = isLeftOut(parameters);
  const work: ImageWork[] = [];
  let pixels = 0;
  for (const image of facts.eligible) {
    if (leavesOut(image)) continue;
    const { number, parts, mask } = image;
    const size = image.fixed ? { width: image.width, height: image.height, resize: false } : sizeFor(image, parameters);
    const maskSize = mask && sizeOfMask(image, mask, parameters);
    const resize = size.resize || (maskSize?.resize ?? false);
    const color = wantsColor && image.color && isColorChosen(image, parameters);
    const isCleaned = color && parameters.mode === 'DOCUMENT';
    const { kind } = image.shows;
    const isPhotograph = image.color && kind === 'PHOTOGRAPH' && !isCleaned;
    if (!resize && !color) continue;
    pixels += image.width * image.height + size.width * size.height;
    if (maskSize) pixels += maskSize.width * maskSize.height;
    assertWorkWithin('workPixels', pixels);
    const isMaskWritten = maskSize && (maskSize.resize || mask?.bound);
    work.push({
      number,
      width: size.width,
      height: size.height,
      ...(isMaskWritten && { mask: { width: maskSize.width, height: maskSize.height } }),
      resize,
      color,
      ...(isCleaned && { clean: isSurelyPage(image, parameters) ? 'page' : 'proved' }),
      ...(isCleaned && image.resolution !== null && { dpi: Math.round((image.resolution * size.width) / image.width) }),
      ...(!size.resize && !color && mask && { maskOnly: isChargedMask(mask) ? 'charged' : 'free' }),
      ...(isPhotograph && size.resize && { photograph: true }),
      ...((kind === 'DRAWING' || kind === 'CHART') && size.resize && { drawn: true }),
      ...(parts && { parts }),
    });
  }
  markTurning(facts, work);
  return work;
}

/** Marks the cleaned pictures whose page may turn with them: each fills one page, and no other is cleaned there. */
function markTurning({ eligible }: PdfFacts, work: readonly ImageWork[]): void {
  const cleaned = new Set(work.filter(({ clean }) => clean).map(({ number }) => number));
  const images = eligible.filter(({ number }) => cleaned.has(number));
  const counts = new Map<number, number>();
  for (const page of images.flatMap(({ drawnOn }) => drawnOn)) counts.set(page, (counts.get(page) ?? 0) + 1);
  const pages = new Map(
    images.flatMap(({ number, page, drawnOn: [only, ...others] }) =>
      page && others.length === 0 && counts.get(only!) === 1 ? [[number, only!] as const] : [],
    ),
  );
  for (const each of work) {
    const page = pages.get(each.number);
    if (page !== undefined) each.turns = page;
  }
}

/** Returns what the order says about the colours of a picture: about itself, or else about its kind. */
export function isColorChosen(image: EligibleImage, { images, colorKinds, mode }: PdfParameters): boolean {
  if (mode === 'DOCUMENT' && !isWhole(image)) return false;
  const isUsual = mode === 'DOCUMENT' ? mayBePage(image) : colorKinds.includes(image.shows.kind);
  return findChoice(image, images)?.color ?? isUsual;
}

/** Whether all of a picture is seen: a mask hides the paper of a page that is stored in layers. */
export const isWhole = ({ mask }: Pick<EligibleImage, 'mask'>): boolean => mask === undefined || mask.flat === true;

/** Whether a picture is a scan, or fills a page. A full page may be a photograph of paper, or of something else. */
const mayBePage = ({ shows: { kind }, page }: EligibleImage): boolean => kind === 'SCAN' || page === true;

/** Whether the order names a picture. Its kind is no proof: photographs of snow or of a bright wall count as scans. */
const isSurelyPage = (image: EligibleImage, { images }: PdfParameters): boolean =>
  findChoice(image, images)?.color === true;

/** Returns the order's choice for a picture. A choice for one part is one for the whole picture. */
export function findChoice(
  { number, parts }: EligibleImage,
  choices: ImageChoices = {},
): { color: boolean } | undefined {
  return (parts ?? [{ number }]).map((part) => choices[part.number]).find((choice) => choice !== undefined);
}

/** Whether the pixels of some enhancement exceed their limit: counted with every image and mask enlarged the most. */
export function mayExceedPixels({ eligible, bilevel }: PdfFacts): boolean {
  const sizes = [...eligible, ...bilevel, ...eligible.flatMap(({ mask }) => mask ?? [])];
  const pixels = sizes.reduce((sum, { width, height }) => sum + width * height * (1 + MAX_SCALE ** 2), 0);
  return pixels > WORK_LIMITS.workPixels.max;
}
const isChargedMask = ({ width, height }: MaskLayer): boolean => Math.max(width, height) >= CHARGED_MASK_SIDE;

function sizeOfMask(
  { maxSide, maxPixels }: EligibleImage,
  mask: MaskLayer,
  parameters: PdfParameters,
): ReturnType<typeof sizeFor> {
  const { width, height } = mask;
  return mask.flat ? { width, height, resize: false } : sizeFor({ ...mask, maxSide, maxPixels }, parameters);
}

/**
 * Returns the size at which every draw of an image reaches the target. The lowest resolution decides; the scale is at
 * most 4, and encoding and memory limit it further. An image keeps its size if its need is within the threshold, or if
 * the limits keep it from exceeding the threshold.
 */
export function sizeFor(
  image: Pick<EligibleImage, 'width' | 'height' | 'resolution' | 'maxSide' | 'maxPixels'>,
  { targetResolution, upscalingThreshold }: PdfParameters,
): { width: number; height: number; resize: boolean } {
  const { width, height, resolution, maxSide, maxPixels } = image;
  const same = { width, height, resize: false };
  if (resolution === null || resolution <= 0) return same;
  const need = targetResolution / resolution;
  if (need <= upscalingThreshold || need <= 1) return same;
  const bound = Math.min(MAX_SCALE, maxSide / Math.max(width, height), Math.sqrt(maxPixels / (width * height)));
  const scale = Math.min(need, bound);
  if (scale <= upscalingThreshold || scale <= 1) return same;
  // Rounds up, so that no side misses the target by a fraction of a pixel, but never above the limit.
  const side = (length: number): number =>
    Math.min(Math.ceil(length * scale - 1e-6), Math.floor(length * bound + 1e-6));
  return { width: side(width), height: side(height), resize: true };
}

export function countWork(work: readonly ImageWork[]): PdfWork {
  const charged = work.filter(({ maskOnly }) => maskOnly !== 'free');
  const both = charged.filter(({ color, resize }) => color && resize).length;
  const masksOnly = work.filter(({ maskOnly }) => maskOnly !== undefined).length;
  return {
    colorOnly: charged.filter(({ color }) => color).length - both,
    resizeOnly: charged.filter(({ resize }) => resize).length - both,
    both,
    ...(masksOnly > 0 && { masksOnly }),
  };
}
