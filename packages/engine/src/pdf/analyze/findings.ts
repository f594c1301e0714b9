import { type ImageKind, resolvePdfParameters, type PdfFindings } from '@burnish/contract/engine';
import type { PdfFacts } from './facts.ts';
import { findShortfall } from './shortfall.ts';
import { countWork, listWork, mayExceedPixels } from './work.ts';

/** Returns what callers read of the facts, with the work of the default parameters. */
export function toFindings(facts: PdfFacts): PdfFindings {
  const parameters = resolvePdfParameters({});
  const shortfall = findShortfall(facts, parameters);
  return {
    pages: facts.pages,
    images: facts.images,
    work: countWork(listWork(facts, parameters)),
    kinds: countKinds(facts),
    ...(facts.blank && { blankPages: facts.blank }),
    ...(facts.signed && { signed: true }),
    ...(mayExceedPixels(facts) && { mayExceedPixels: true }),
    ...(shortfall && { belowTarget: shortfall.images, lowestReached: Math.floor(shortfall.lowest) }),
  };
}

function countKinds({ eligible }: PdfFacts): Partial<Record<ImageKind, number>> {
  const counts: Partial<Record<ImageKind, number>> = {};
  for (const { shows } of eligible) counts[shows.kind] = (counts[shows.kind] ?? 0) + 1;
  return counts;
}
