import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { appendUpdate, isLinearized, rewrite, type PdfDocument } from '@burnish/pdf';
import {
  type ArchiveRemoval,
  droppedPages,
  formatNumber,
  type LeftAloneReason,
  MAX_UNCERTAIN_PAGES,
  type PdfNote,
  type SkewReason,
  EngineError,
} from '@burnish/contract/engine';
import type { LeftAlone } from '../analyze/facts.ts';
import { assertWorkWithin } from '../work-limits.ts';
import type { PdfPlan } from '../analyze/work.ts';
import { toRequestKey, readResult, resultName, type KeptImage, type StoredResult } from './result-file.ts';
import { addText } from '../text/add-text.ts';
import { archivePdf } from '../archive/archive-pdf.ts';
import { withPdf } from '../with-pdf.ts';
import { isReadOnly } from '../analyze/reading.ts';
import { dropPages } from '../drop/drop-pages.ts';
import { inspectStructure } from '../analyze/inspect.ts';
import { renumberPages } from '../pages/page-numbers.ts';
import { splitPages } from '../split/split-pages.ts';
import { turnPages } from '../turn/turn-pages.ts';
import { turnUpright } from '../turn/upright-pages.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { isOriginal } from './is-original.ts';
import type { Run } from '../run.ts';
import type { NeedlessReason, SizeStep } from './enhance-image.ts';
import { withImages } from './image-changes.ts';
import { notesOnResult } from './result-notes.ts';
import { contradictsItself, verifyOutput, type PagesAndImages } from './verify.ts';
import { divideWork, type ChargedWork } from '../analyze/plan.ts';

/** `work` and `paid` count what changed the file. `work` determines the price. */
export interface AssembledPdf extends ChargedWork {
  pages: number;
  /** Pages with a new layer of text */
  textPages: number;
  /** The result is PDF/A-2b */
  archived: boolean;
  /** Pages that stood on their head or side */
  turnedPages: number;
  /** Pages of the original that the result lacks, in order */
  dropped: number[];
  /** Pages of the original that are two pages of the result each, in order, at most `MAX_SPLIT_PAGES` */
  split: number[];
  images: number;
  enhanced: number;
  skipped: LeftAlone[];
  /** What was done and left out, in order */
  notes: PdfNote[];
  /** Pages whose result deserves a look, in order, at most `MAX_UNCERTAIN_PAGES` */
  uncertain: number[];
}

export interface AssembleInput {
  inputPath: string;
  password?: string;
  outputPath: string;
  directory: string;
  /** As in `PaidInput` */
  paidExcept?: readonly number[][];
}

/**
 * @throws EngineError INTERNAL when a result is missing or the verification fails; CORRUPT_FILE when the original causes
 * this; PROCESSING_LIMIT when the PDF would be too large; RESULT_TOO_LARGE when it is larger than the order allows
 */
export async function assemble(
  pdf: PdfDocument,
  plan: PdfPlan,
  { inputPath, password, outputPath, directory, paidExcept }: AssembleInput,
  run: Run,
): Promise<AssembledPdf> {
  const results: StoredResult[] = [];
  const uncharged = new Map<number, LeftAloneReason>();
  const needless = new Map<number, NeedlessReason>();
  const directions = new Map<number, QuarterTurns>();
  const skewed = new Map<number, SkewReason>();
  for (const [index, work] of plan.work.entries()) {
    const result = await readResult(join(directory, resultName(index)), toRequestKey(plan, work));
    if (result === undefined) throw new Error(`The result of image ${work.number} is missing.`);
    const filled = work.turns ?? work.reads;
    if (filled !== undefined && result.direction) directions.set(filled, result.direction);
    if (result.skewed) skewed.set(work.number, result.skewed);
    if (isReadOnly(work)) continue;
    if (!('kept' in result)) results.push(result);
    else if (isNeedless(result.kept)) needless.set(work.number, result.kept);
    else uncharged.set(work.number, result.kept);
  }
  const part = `${outputPath}.part`;
  assertWorkWithin(
    'resultBytes',
    results.reduce((sum, { bytes }) => sum + bytes, plan.facts.fileBytes),
  );
  const objects = results.flatMap(({ objects: each }) => each);
  const turned = await turnUpright(pdf, directions, await turnPages(pdf, plan, results, run), run);
  const { split, unsplit, sides, changes: divided } = await splitPages(pdf, plan, results, turned, run);
  const { dropped, undropped, changes: left } = await dropPages(pdf, droppedPages(plan.parameters.pages), divided, run);
  const isMoved = split.length + dropped.length > 0;
  const numbered = isMoved ? renumberPages(pdf, left, pagesInOrder(plan, { split, dropped })) : left;
  const { changes: pageChanges, text } = await addText(pdf, plan, { changes: numbered, sides }, directory, run);
  const rewritten = plan.parameters.compact || pdf.xref().rebuilt;
  const changes = withImages(pdf, pageChanges, objects);
  const counts = { enhanced: objects.length, textPages: text.pages, turnedPages: directions.size, dropped };
  // A plan of an earlier version has no such parameter.
  const archived = plan.parameters.archive === true;
  const isChanged = !isOriginal({ ...counts, archived });
  let removed: ArchiveRemoval[] = [];
  try {
    // Without changes the result is the original, byte for byte: the parent verifies this before it charges nothing.
    if (rewritten && !isOriginal({ ...counts, archived: false })) await rewrite(pdf, part, changes, run);
    else await appendUpdate(pdf, inputPath, part, changes);
    const options = { ...run, ...(password !== undefined && { password }) };
    if (archived) removed = await archiveInPlace(part, run);
    if (isChanged)
      await verifyOutput(part, await shouldHave(pdf, plan, { split, dropped }, run), objects, options).catch(
        async (error: unknown) => {
          throw (await contradictsItself(inputPath, plan.facts, options)) ? contradiction(error) : error;
        },
      );
    await assertFits(part, plan.parameters);
    await rename(part, outputPath);
  } finally {
    await rm(part, { force: true });
  }
  const { pages, images } = plan.facts;
  const uncertain = results.flatMap((result) => (result.uncertain ? [result.number] : []));
  const together = new Set(results.filter((result) => result.together).map(({ number }) => number));
  const tooMuch = [...uncharged].flatMap(([number, reason]) => (reason === 'max-growth' ? [number] : []));
  const withStep = (wanted: SizeStep): number[] =>
    results.flatMap(({ number, step }) => (step === wanted ? [number] : []));
  const sizes = { coarser: withStep('coarser'), smaller: withStep('smaller'), tooMuch };
  const skipped = [...uncharged.values()].reduce(countOneMore, plan.facts.leftAlone);
  return {
    pages,
    ...counts,
    archived,
    split,
    images,
    skipped,
    ...divideWork(
      plan.facts,
      plan.work.filter(({ number }) => !uncharged.has(number) && !needless.has(number)),
      paidExcept,
    ),
    uncertain: [...new Set([...pagesOf(plan, [...uncertain, ...skewed.keys()]), ...directions.keys()])]
      .toSorted((one, two) => one - two)
      .slice(0, MAX_UNCERTAIN_PAGES),
    notes: notesOnResult(plan, {
      enhanced: objects.length,
      kept: new Map([...uncharged, ...needless]),
      enlarged: new Map(results.flatMap(({ number, uncleaned }) => (uncleaned ? [[number, uncleaned] as const] : []))),
      text,
      upright: [...directions.keys()],
      turned: results.filter(({ turn, sides }) => turn !== undefined || sides !== undefined).length,
      together: plan.work.flatMap(({ number, turns }) => (turns && together.has(number) ? [turns] : [])),
      trimmed: pagesOf(
        plan,
        results.flatMap(({ trimmed, number }) => (trimmed ? [number] : [])),
      ),
      skewed: new Map(
        [...skewed].flatMap(([number, because]) => pagesOf(plan, [number]).map((page) => [page, because] as const)),
      ),
      split: split.length,
      dropped,
      undropped,
      unsplit,
      fitted: new Map(
        results.flatMap(({ number, quality }) => (quality === undefined ? [] : [[number, quality] as const])),
      ),
      linearized: isLinearized(pdf),
      ...(archived && { removed }),
      ...sizes,
    }),
  };
}

interface MovedPages {
  split: readonly number[];
  dropped: readonly number[];
}

/** Index in the original, from 0, of each page of a result. */
function pagesInOrder({ facts }: PdfPlan, { split, dropped }: MovedPages): number[] {
  const [twice, never] = [new Set(split), new Set(dropped)];
  return Array.from({ length: facts.pages }, (_, index) => index).flatMap((index) => {
    if (never.has(index + 1)) return [];
    return twice.has(index + 1) ? [index, index] : [index];
  });
}

/** Returns the pages and images that a result has if it is sound. */
async function shouldHave(pdf: PdfDocument, { facts }: PdfPlan, moved: MovedPages, run: Run): Promise<PagesAndImages> {
  const pages = facts.pages + moved.split.length - moved.dropped.length;
  if (moved.dropped.length === 0) return { pages, images: facts.images };
  const { found, inline } = await inspectStructure(pdf, run, new Set(moved.dropped));
  return { pages, images: found.length + inline };
}

/** Makes PDF/A of a file. @throws as `archivePdf` */
async function archiveInPlace(path: string, run: Run): Promise<ArchiveRemoval[]> {
  const archived = `${path}.archived`;
  try {
    const removed = await withPdf({ inputPath: path }, (pdf) => archivePdf(pdf, archived, run));
    await rename(archived, path);
    return removed;
  } finally {
    await rm(archived, { force: true });
  }
}

/** @throws EngineError RESULT_TOO_LARGE */
async function assertFits(path: string, { maxBytes }: PdfPlan['parameters']): Promise<void> {
  const { size } = await stat(path);
  if (maxBytes === undefined || size <= maxBytes) return;
  const sizes = `The result has ${formatNumber(size)} bytes, and maxBytes is ${formatNumber(maxBytes)}`;
  const reason = 'its text, fonts and unchanged images count, too';
  const remedy = 'Set a greater maxBytes, a lower targetResolution, or mode DOCUMENT for scans.';
  throw new EngineError('RESULT_TOO_LARGE', { field: 'maxBytes', detail: `${sizes}: ${reason}. ${remedy}` });
}

/** Returns the pages that draw some pictures, each once. */
function pagesOf({ facts }: PdfPlan, pictures: readonly number[]): number[] {
  const wanted = new Set(pictures);
  return [...new Set(facts.eligible.flatMap(({ number, drawnOn }) => (wanted.has(number) ? drawnOn : [])))];
}

function contradiction(cause: unknown): EngineError {
  return new EngineError('CORRUPT_FILE', {
    detail: 'The PDF is damaged: its cross-reference data and its objects describe different pages and images.',
    cause,
  });
}

const NEEDLESS: readonly string[] = [
  'needs-nothing',
  'clean',
  'no-paper',
  'no-ink',
  'no-page',
  'inks',
] satisfies NeedlessReason[];

const isNeedless = (reason: KeptImage['kept']): reason is NeedlessReason => NEEDLESS.includes(reason);

function countOneMore(left: readonly LeftAlone[], reason: LeftAloneReason): LeftAlone[] {
  const known = left.find((each) => each.reason === reason)?.count ?? 0;
  return [...left.filter((each) => each.reason !== reason), { reason, count: known + 1 }];
}
