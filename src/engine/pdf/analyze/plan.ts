import { readFile, writeFile } from 'node:fs/promises';
import { Failure } from '../../../domain/failures.ts';
import { type PdfParameters, priceOfPdf, type PdfWork } from '../../../domain/enhancement/parameters.ts';
import { FACTS_FORMAT } from '../../../domain/files/object-keys.ts';
import type { PdfFacts } from './facts.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import { expectPictures } from '../enhance/expected-size.ts';
import { shareGrowth } from '../enhance/growth.ts';
import { countWork, listWork, type PdfPlan } from './work.ts';

/** @throws Failure SIGNED_PDF when there is work on a signed PDF; TOO_MANY_PIXELS */
export function makePlan(facts: PdfFacts, parameters: PdfParameters): PdfPlan {
  const work = listWork(facts, parameters);
  if (facts.signed && work.length > 0 && !parameters.allowBreakingSignatures) throw new Failure('SIGNED_PDF');
  const shares = shareGrowth({ facts, parameters }, expectPictures({ facts, parameters, work }));
  return { format: 1, facts, parameters, work: work.map((each, i) => ({ ...each, most: shares[i]! })) };
}

export function computeCost(plan: PdfPlan): { credits: number; work: PdfWork } {
  const work = countWork(plan.work);
  return { credits: priceOfPdf(work), work };
}

export async function writePlan(path: string, plan: PdfPlan): Promise<void> {
  await writeFile(path, JSON.stringify(plan));
}

/**
 * Reads a plan that `writePlan` wrote. @throws Failure INTERNAL when it belongs to another file or has another format
 */
export async function readPlan(path: string, pdf: PdfDocument): Promise<PdfPlan> {
  const plan = JSON.parse(await readFile(path, 'utf8')) as PdfPlan;
  applyFacts(pdf, plan.facts);
  return plan;
}

/**
 * Restores the cross-reference data that the facts are based on: rebuilds it if the analysis did.
 * @throws Failure INTERNAL when the facts belong to another file or have another format
 */
export function applyFacts(pdf: PdfDocument, facts: PdfFacts): void {
  if (facts.format === FACTS_FORMAT && facts.fileBytes === pdf.source.size + pdf.base) {
    if (facts.rebuilt) pdf.rebuild();
    return;
  }
  throw new Failure('INTERNAL', { cause: new Error('What is known of a PDF does not belong to this file.') });
}
