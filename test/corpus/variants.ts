import { resolvePdfParameters, type PdfParameters } from '@burnish/contract';
import type { PdfFacts } from '../../packages/engine/src/pdf/analyze/facts.ts';

/** The default parameters, to 300 DPI. */
export const DEFAULTS: PdfParameters = resolvePdfParameters({}, 300);

/** The same without a change of colour, so that pages before and after are comparable. */
export const RESIZE: PdfParameters = {
  ...DEFAULTS,
  customColorConfig: { ...DEFAULTS.customColorConfig, auto: false },
};

/**
 * The findings with every eligible image and mask said to be drawn at 100 DPI, so that a target of 200 DPI doubles all of them
 * that may change their size.
 */
export function drawnAt100Dpi(facts: PdfFacts): PdfFacts {
  const resolution = 100;
  const eligible = facts.eligible.map((image) => ({
    ...image,
    resolution,
    ...(image.mask && { mask: { ...image.mask, resolution } }),
  }));
  return { ...facts, eligible };
}
