import { readFile, writeFile } from 'node:fs/promises';
import { droppedPages, EngineError, type PdfParameters, type PdfWork, FACTS_FORMAT } from '@burnish/contract/engine';
import type { PdfFacts } from './facts.ts';
import type { PdfDocument } from '@burnish/pdf';
import { expectPictures, TEXT_BYTES } from '../enhance/expected-size.ts';
import { shareGrowth } from '../enhance/growth.ts';
import { drawnOnOneOf } from './left-out.ts';
import { isReadOnly, withReading } from './reading.ts';
import { countWork, listWork, type ImageWork, type PdfPlan } from './work.ts';

/** @throws EngineError SIGNED_PDF when there is work on a signed PDF; TOO_MANY_PIXELS */
export function makePlan(facts: PdfFacts, parameters: PdfParameters): PdfPlan {
  const changes = listWork(facts, parameters);
  const work = withReading(facts, parameters, changes);
  const isEdited = parameters.archive || droppedPages(parameters.pages).length > 0;
  if (facts.signed && (work.length > 0 || isEdited) && !parameters.allowBreakingSignatures)
    throw new EngineError('SIGNED_PDF');
  // Pages that stay as they are leave their share unused, so that an image has the same result with and without them.
  const { pages, ...others } = parameters;
  const all = pages === undefined ? changes : listWork(facts, others);
  const texts = work.filter(({ reads }) => reads !== undefined).length * TEXT_BYTES.most;
  const expected = expectPictures({ facts, parameters, work: all });
  const { bytes: shares, ...fits } = shareGrowth({ facts, parameters }, expected, texts);
  const most = new Map(all.map(({ number }, i) => [number, shares[i]!]));
  return {
    format: 1,
    facts,
    parameters,
    work: work.map((each) => (isReadOnly(each) ? each : { ...each, most: most.get(each.number)!, ...fits })),
  };
}

/** The work on a PDF that is charged, and the work that earlier enhancements have paid. */
export interface ChargedWork {
  work: PdfWork;
  /** Absent where nothing is paid */
  paid?: PdfWork;
}

/**
 * Divides work into the charged and the paid one.
 * @param paidExcept pages that each of the earlier enhancements left as they are; an image is paid if one of them left none of its pages
 */
export function divideWork(
  { eligible, bilevel }: PdfFacts,
  all: readonly ImageWork[],
  paidExcept: readonly number[][] = [],
): ChargedWork {
  if (paidExcept.length === 0) return { work: countWork(all) };
  const images = new Map([...eligible, ...bilevel].map((image) => [image.number, image]));
  const leaves = paidExcept.map(drawnOnOneOf);
  const isPaid = ({ number }: ImageWork): boolean => leaves.some((leave) => !leave(images.get(number)!));
  return { work: countWork(all.filter((each) => !isPaid(each))), paid: countWork(all.filter(isPaid)) };
}

export async function writePlan(path: string, plan: PdfPlan): Promise<void> {
  await writeFile(path, JSON.stringify(plan));
}

/**
 * Reads a plan that `writePlan` wrote. @throws EngineError INTERNAL when it belongs to another file or has another format
 */
export async function readPlan(path: string, pdf: PdfDocument): Promise<PdfPlan> {
  const plan = JSON.parse(await readFile(path, 'utf8')) as PdfPlan;
  applyFacts(pdf, plan.facts);
  return plan;
}

/**
 * Restores the cross-reference data that the facts are based on: rebuilds it if the analysis did.
 * @throws EngineError INTERNAL when the facts belong to another file or have another format
 */
export function applyFacts(pdf: PdfDocument, facts: PdfFacts): void {
  if (facts.format === FACTS_FORMAT && facts.fileBytes === pdf.source.size + pdf.base) {
    if (facts.rebuilt) pdf.rebuild();
    return;
  }
  throw new EngineError('INTERNAL', { cause: new Error('What is known of a PDF does not belong to this file.') });
}
