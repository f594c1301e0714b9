import {
  assertImageOrderAgrees,
  assertOrderAgrees,
  assertOrderFits,
  type PlanTerms,
  assertResultSize,
  counted,
  formatNumber,
  chosenPages,
  droppedPages,
  mediaKind,
  type EnhancementParameters,
  type MediaType,
  type PageChoices,
  withFailures,
  Failure,
  type Upload,
} from '@burnish/contract';
import { assertWithinPlan } from './parameter-rules.ts';

/**
 * Rejects an order for a file that is known to be a PDF, until its analysis has succeeded. While the type of a file is
 * unknown, an order waits, as one that came with the upload does.
 * @param declared type of a file that has not arrived
 * @throws Failure PDF_NOT_ANALYZED
 */
export function assertAnalyzed(
  { file, status, subStatus }: Pick<Upload, 'file' | 'status' | 'subStatus'>,
  declared?: MediaType,
): void {
  const mimetype = file?.mimetype ?? declared;
  if (mimetype === undefined || mediaKind(mimetype) === 'image') return;
  if (subStatus === 'METADATA_ANALYZED_SUCCESSFULLY') return;
  const state = subStatus === null ? `status is ${status}` : `subStatus is ${subStatus}`;
  throw new Failure('PDF_NOT_ANALYZED', { detail: `The PDF has not been analyzed; its ${state}.` });
}

/**
 * Rejects parameters that the plan or the file of an upload does not allow, as far as the file is known.
 * @param declared type of a file that has not arrived
 * @throws Failure BAD_USER_INPUT, TARGET_RESOLUTION_EXCEEDS_PLAN, TOO_MANY_PIXELS with the field
 */
export function assertFits(
  { file, width, height, provider, analysis }: Pick<Upload, 'file' | 'width' | 'height' | 'provider' | 'analysis'>,
  plan: PlanTerms,
  parameters: EnhancementParameters,
  declared?: MediaType,
): void {
  const mimetype = file?.mimetype ?? declared;
  if (mimetype === undefined) assertOrderAgrees(parameters);
  else assertOrderFits(mediaKind(mimetype), parameters);
  assertWithinPlan(plan, parameters);
  assertImageOrderAgrees(parameters, provider);
  if (analysis !== null) assertPagesExist(parameters.pages, analysis.statistics.pages);
  // The hosted service has limits of its own. A record without pixels has not been inspected.
  if (file === null || provider === 'hosted') return;
  withFailures(() => assertResultSize({ ...file, width, height }, parameters));
}

/**
 * Rejects pages that a PDF does not have, and an order that drops all of them.
 * @param pages number of pages of the PDF
 * @throws Failure BAD_USER_INPUT that names the page
 */
export function assertPagesExist(choices: PageChoices | undefined, pages: number): void {
  const refuse = (detail: string): never => {
    throw new Failure('BAD_USER_INPUT', { field: 'pdf.pages', detail });
  };
  const missing = chosenPages(choices).find((page) => page > pages);
  if (missing !== undefined)
    refuse(
      `The PDF has ${counted(pages, 'page')}, so it has no page ${formatNumber(missing)}. Remove it from pdf.pages.`,
    );
  if (droppedPages(choices).length >= pages) refuse('pdf.pages drops all pages. Remove DROP from one of them.');
}
