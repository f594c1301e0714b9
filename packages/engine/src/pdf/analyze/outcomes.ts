import {
  type ColorsStay,
  type ImageOutcome,
  type MaskChange,
  type PictureChange,
  type SizeStays,
  type LeftAloneReason,
  droppedPages,
  keptPages,
  changesColor,
  NO_TARGET,
  type PdfParameters,
} from '@burnish/contract/engine';
import type { EligibleImage } from './facts.ts';
import { drawnOnlyOn, drawnOnOneOf } from './left-out.ts';
import { MAX_SCALE, findChoice, isColorChosen, isWhole, type ImageWork } from './work.ts';

/** Returns the planned changes of a picture. */
export function toChange(work: ImageWork): PictureChange {
  const { resize, color, clean, maskOnly } = work;
  if (maskOnly !== undefined) return toMaskChange(work);
  return { enlarged: resize, color: !color ? null : clean === undefined ? 'corrected' : 'cleaned' };
}

/** Returns the planned change of the mask of a picture. */
export const toMaskChange = ({ mask, maskOnly }: ImageWork): MaskChange => ({
  mask: mask ?? null,
  isFree: maskOnly === 'free',
});

/** Why a planned change was not made. @param growth bytes that the file may grow by */
export function whyKept({ resize, clean }: ImageWork, bytes: number, growth: number): ImageOutcome {
  if (clean !== undefined) return { effect: 'kept', because: 'clean' };
  return { effect: 'kept', because: resize || growth < bytes ? 'growth' : 'needless' };
}

/** Why a picture with work keeps its colours; null if they change, or were not to. */
export function whyOnlyEnlarged(
  { color }: ImageWork,
  image: EligibleImage | undefined,
  parameters: PdfParameters,
): ColorsStay | null {
  return color || image === undefined || !changesColor(parameters) ? null : whyColorsStay(image, parameters);
}

function whyColorsStay(image: EligibleImage, parameters: PdfParameters): ColorsStay {
  const { shows } = image;
  if (!changesColor(parameters)) return { because: 'not-asked' };
  if (findChoice(image, parameters.images)?.color === false) return { because: 'chosen' };
  if (parameters.mode === 'DOCUMENT' && image.color)
    return isWhole(image) ? { because: 'no-page', shows } : { because: 'masked' };
  return isColorChosen(image, parameters) ? { because: 'inks' } : { because: 'kind', shows };
}

/** What keeps an enlarged image below the target. @param resolution that it has now, DPI @param isReduced enlarged less than planned */
export function whyBelow(
  resolution: number | null,
  { targetResolution: target }: PdfParameters,
  isReduced: boolean,
): Extract<ImageOutcome, { effect: 'done' }>['below'] {
  if (resolution === null || resolution >= target - 1) return null;
  return isReduced ? { because: 'growth' } : { because: 'scale', target, most: MAX_SCALE };
}

/** Why an image has no work. @param reason that lies in the image itself */
export function whyNot(
  reason: LeftAloneReason | undefined,
  image: EligibleImage | undefined,
  parameters: PdfParameters,
): ImageOutcome {
  if (reason !== undefined) return { effect: 'left-alone', because: reason };
  if (image === undefined) return { effect: 'left-alone', because: 'featureless' };
  return (
    whyLeftOut(image, parameters) ?? {
      effect: 'unchanged',
      sizeStays: whySizeStays(image, parameters),
      colorsStay: whyColorsStay(image, parameters),
    }
  );
}

function whyLeftOut(
  image: Pick<EligibleImage, 'drawnOn' | 'hidden'>,
  { pages, hiddenLayers }: PdfParameters,
): ImageOutcome | undefined {
  if (drawnOnOneOf(keptPages(pages))(image)) return { effect: 'left-alone', because: 'kept-page' };
  if (drawnOnlyOn(droppedPages(pages))(image)) return { effect: 'left-alone', because: 'dropped-page' };
  return image.hidden && !hiddenLayers ? { effect: 'left-alone', because: 'hidden' } : undefined;
}

function whySizeStays(
  { resolution }: Pick<EligibleImage, 'resolution'>,
  { targetResolution: target, upscalingThreshold: threshold }: PdfParameters,
): SizeStays {
  if (resolution === null) return { because: 'no-extent' };
  if (target === NO_TARGET) return { because: 'not-asked' };
  if (resolution >= target) return { because: 'enough', resolution: Math.floor(resolution), target };
  return { because: 'threshold', target, times: Math.floor((target / resolution) * 100) / 100, threshold };
}
