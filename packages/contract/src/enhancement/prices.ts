import { changesColor, type ImageParameters, type PdfParameters, type PdfWork } from '../engine/parameters.ts';
import { enlarges, type Size } from '../engine/target-size.ts';
import { IMAGE_PARAMETERS, STEP_FEATURES, type StepName } from '../engine/parameter-table.ts';
import type { Feature, ParameterField } from '../engine/parameter-field.ts';
import type { PdfFindings } from '../engine/pdf-findings.ts';
import type { PdfAnalysis } from '../upload/pdf-analysis.ts';
import type { ProviderName } from '../upload/upload.ts';

/** Credits by feature (docs/contract.md). An image costs as much as its most expensive feature, never the sum. */
export const PRICES = { color: 1, restoration: 1, upscaling: 4 } as const satisfies Record<Feature, number>;

/**
 * Price of the enhancement of one image when each requested feature changes it, in credits.
 * @param image its size; while it is unknown, a target size counts as an enlargement
 */
export function priceOfImage(parameters: ImageParameters, image?: Size): number {
  const isEnlarged = enlarges(parameters, image) !== false;
  const charged = Object.entries<ParameterField>(IMAGE_PARAMETERS).map(([name, { feature, neutral }]) => {
    const isActive = feature === 'upscaling' ? isEnlarged : parameters[name as keyof ImageParameters] !== neutral;
    return feature === undefined || !isActive ? 0 : PRICES[feature];
  });
  return Math.max(...charged);
}

/** Price of the enhancement of one image by the steps that changed it, in credits. */
export function priceOfSteps(steps: readonly StepName[]): number {
  const charged = steps.map((step) => {
    const feature = STEP_FEATURES[step];
    return feature === null ? 0 : PRICES[feature];
  });
  return Math.max(0, ...charged);
}

/**
 * Lowest and highest price of the enhancement of one image, in credits: if nothing but its size needs a change, and if each
 * requested feature changes it. The hosted service does not report what it changed, so its price is certain.
 */
export function priceRangeOfImage(
  parameters: ImageParameters,
  provider: ProviderName,
  image?: Size,
): { minCredits: number; credits: number } {
  const credits = priceOfImage(parameters, image);
  if (provider === 'hosted') return { minCredits: credits, credits };
  return { minCredits: priceOfSteps(enlarges(parameters, image) === true ? ['upscale'] : []), credits };
}

/** Price of the enhancement of a PDF in credits. An image with both changes costs the higher price. */
export function priceOfPdf(work: PdfWork): number {
  return work.colorOnly * PRICES.color + (work.resizeOnly + work.both) * Math.max(PRICES.upscaling, PRICES.color);
}

/** Price of a PDF in which no image needs a change of colour, in credits. */
export function lowestPriceOfPdf(work: PdfWork): number {
  return priceOfPdf({ ...work, colorOnly: 0 });
}

/** Adds to the findings of the engine what enhancements by the default parameters cost. */
export function priceFindings({ pages, images, work, ...others }: PdfFindings): PdfAnalysis {
  const colorEligible = work.colorOnly + work.both;
  const resizeEligible = work.resizeOnly + work.both;
  const totalCredits = priceOfPdf(work);
  const credits = {
    color: colorEligible * PRICES.color,
    resize: resizeEligible * PRICES.upscaling,
    colorAndResize: totalCredits,
  };
  return { totalCredits, statistics: { pages, images, colorEligible, resizeEligible, ...others, credits } };
}

/** Price of a PDF from its analysis alone, in credits, for images that cannot be counted again. */
export function priceOfAnalyzedPdf({ statistics: { credits } }: PdfAnalysis, parameters: PdfParameters): number {
  return changesColor(parameters) ? credits.colorAndResize : credits.resize;
}
