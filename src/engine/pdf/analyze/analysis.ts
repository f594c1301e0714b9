import type { PdfAnalysis } from '../../contract/pdf-analysis.ts';
import { resolvePdfParameters } from '../../contract/parameters.ts';
import { priceOfPdf, PRICES } from '../../../domain/enhancement/prices.ts';
import { SEED_PLANS } from '../../../domain/accounts/account.ts';
import type { ImageKind } from '../../contract/image-kinds.ts';
import type { PdfFacts } from './facts.ts';
import { findShortfall } from './shortfall.ts';
import { countWork, listWork, mayExceedPixels } from './work.ts';

/**
 * Statistics of the contract: the effect and the price of the default parameters (300 DPI, threshold 1.2, automatic
 * colour).
 */
export function toAnalysis(facts: PdfFacts): PdfAnalysis {
  const parameters = resolvePdfParameters({}, SEED_PLANS.FREE.maxResolution);
  const work = countWork(listWork(facts, parameters));
  const shortfall = findShortfall(facts, parameters);
  const colorEligible = work.colorOnly + work.both;
  const resizeEligible = work.resizeOnly + work.both;
  const totalCredits = priceOfPdf(work);
  return {
    totalCredits,
    statistics: {
      pages: facts.pages,
      images: facts.images,
      colorEligible,
      resizeEligible,
      kinds: countKinds(facts),
      ...(facts.signed && { signed: true }),
      ...(mayExceedPixels(facts) && { mayExceedPixels: true }),
      ...(shortfall && { belowTarget: shortfall.images, lowestReached: Math.floor(shortfall.lowest) }),
      credits: {
        color: colorEligible * PRICES.color,
        resize: resizeEligible * PRICES.upscaling,
        colorAndResize: totalCredits,
      },
    },
  };
}

function countKinds({ eligible }: PdfFacts): Partial<Record<ImageKind, number>> {
  const counts: Partial<Record<ImageKind, number>> = {};
  for (const { shows } of eligible) counts[shows.kind] = (counts[shows.kind] ?? 0) + 1;
  return counts;
}
