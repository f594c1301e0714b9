import type { PdfAnalysis } from '../upload/upload.ts';
import { COLOR_ADJUSTMENTS, IMAGE_PARAMETERS, PRICES } from './parameter-table.ts';
import type { ParameterField } from './parameter-table.ts';
import type { ColorConfig, ImageParameters, PdfParameters } from './parameters.ts';

/** Credits that enhancing one image costs. */
export function priceOfImage(parameters: ImageParameters): number {
  const charged = Object.entries<ParameterField>(IMAGE_PARAMETERS).map(([name, { price, neutral }]) =>
    price === undefined || parameters[name as keyof ImageParameters] === neutral ? 0 : PRICES[price],
  );
  return Math.max(...charged);
}

/** Whether an image with these parameters stays as it is: each has its neutral value, and only tuning parameters may differ. */
export function leavesImageAsItIs(parameters: ImageParameters): boolean {
  return Object.entries<ParameterField>(IMAGE_PARAMETERS).every(
    ([name, { neutral }]) => neutral === undefined || (parameters[name as keyof ImageParameters] ?? null) === neutral,
  );
}

/** How many images of a PDF a request touches: `both` are counted in neither of the others. */
export interface PdfWork {
  colorOnly: number;
  resizeOnly: number;
  both: number;
}

/** Credits that enhancing a PDF costs: per image, the dearer where both apply. */
export function priceOfPdf(work: PdfWork): number {
  return work.colorOnly * PRICES.color + (work.resizeOnly + work.both) * Math.max(PRICES.upscaling, PRICES.color);
}

/** Whether a PDF's parameters ask for any change of colour. */
export function changesColor({ customColorConfig: c }: PdfParameters): boolean {
  return Object.entries(COLOR_ADJUSTMENTS).some(([name, { neutral }]) => c[name as keyof ColorConfig] !== neutral);
}

/** Credits that a PDF costs by its analysis alone, where the images themselves cannot be counted again. */
export function priceOfAnalyzedPdf({ statistics: { credits } }: PdfAnalysis, parameters: PdfParameters): number {
  return changesColor(parameters) ? credits.colorAndResize : credits.resize;
}
