import type { PdfAnalysis } from '../upload/analysis.ts';
import type { ImageParameters, PdfParameters } from './parameters.ts';

/** Credits by feature (docs/contract.md): an image pays for its dearest feature, never for the sum. */
export const PRICES = { color: 1, restoration: 1, upscaling: 4 } as const;

/** Credits that enhancing one image costs. */
export function priceOfImage(p: ImageParameters): number {
  const restores =
    p.noiseReductionProfilingMode !== 'OFF' || p.artifactsDetectionRemoval !== 'OFF' || p.enhanceFaceDetails !== 'OFF';
  return Math.max(
    p.mode === 'OFF' ? 0 : PRICES.color,
    restores ? PRICES.restoration : 0,
    p.upscalingFactor === 'X1' ? 0 : PRICES.upscaling,
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
  return c.auto || [c.brightness, c.contrast, c.saturation, c.gamma, c.temperature].some((value) => value !== 0);
}

/** Credits that a PDF costs by its analysis alone, where the images themselves cannot be counted again. */
export function priceOfAnalyzedPdf({ statistics: { credits } }: PdfAnalysis, parameters: PdfParameters): number {
  return changesColor(parameters) ? credits.colorAndResize : credits.resize;
}
