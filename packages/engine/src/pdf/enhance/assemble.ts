import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { counted, formatNumber } from '../../contract/counted.ts';
import { keptPages } from '../../contract/page-choices.ts';
import { appendUpdate, isLinearized, rewrite, type PdfDocument } from '@burnish/pdf';
import { shortfallNote, findShortfall } from '../analyze/shortfall.ts';
import type { BilevelPicture, LeftAlone } from '../analyze/facts.ts';
import type { LeftAloneReason } from '../../contract/left-alone.ts';
import { assertWorkWithin } from '../work-limits.ts';
import { findCoarseScans, type PdfPlan } from '../analyze/work.ts';
import { toRequestKey, readResult, resultName, type KeptImage, type StoredResult } from './result-file.ts';
import { turnPages } from '../turn/turn-pages.ts';
import type { Run } from '../run.ts';
import { REDUCED_QUALITY } from './encode-picture.ts';
import type { NeedlessReason, SizeStep } from './enhance-image.ts';
import { mostBytes } from './growth.ts';
import { withImages } from './image-changes.ts';
import { joinNames } from './join-names.ts';
import { notesOnUncleaned, type Uncleaned } from './uncleaned-notes.ts';
import { contradictsItself, verifyOutput } from './verify.ts';
import { EngineError } from '../../contract/engine-error.ts';
import { divideWork, type ChargedWork } from '../analyze/plan.ts';

/** `work` and `paid` count what changed the file. `work` determines the price. */
export interface AssembledPdf extends ChargedWork {
  pages: number;
  images: number;
  enhanced: number;
  skipped: LeftAlone[];
  notes: string[];
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
 * this; PROCESSING_LIMIT when the PDF would be too large
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
  for (const [index, work] of plan.work.entries()) {
    const result = await readResult(join(directory, resultName(index)), toRequestKey(plan, work));
    if (result === undefined) throw new Error(`The result of image ${work.number} is missing.`);
    if (!('kept' in result)) results.push(result);
    else if (isNeedless(result.kept)) needless.set(work.number, result.kept);
    else uncharged.set(work.number, result.kept);
  }
  const part = `${outputPath}.part`;
  const rewritten = plan.parameters.compact || pdf.xref().rebuilt;
  assertWorkWithin(
    'resultBytes',
    results.reduce((sum, { bytes }) => sum + bytes, plan.facts.fileBytes),
  );
  const objects = results.flatMap(({ objects: each }) => each);
  const changes = withImages(pdf, await turnPages(pdf, plan, results, run), objects);
  try {
    // Without changes the result is the original, byte for byte: the parent verifies this before it charges nothing.
    if (rewritten && objects.length > 0) await rewrite(pdf, part, changes, run);
    else await appendUpdate(pdf, inputPath, part, changes);
    const options = { ...run, ...(password !== undefined && { password }) };
    if (objects.length > 0)
      await verifyOutput(part, plan.facts, objects, options).catch(async (error: unknown) => {
        throw (await contradictsItself(inputPath, plan.facts, options)) ? contradiction(error) : error;
      });
    await rename(part, outputPath);
  } finally {
    await rm(part, { force: true });
  }
  const { pages, images } = plan.facts;
  const tooMuch = [...uncharged].flatMap(([number, reason]) => (reason === 'max-growth' ? [number] : []));
  const withStep = (wanted: SizeStep): number[] =>
    results.flatMap(({ number, step }) => (step === wanted ? [number] : []));
  const sizes = { coarser: withStep('coarser'), smaller: withStep('smaller'), tooMuch };
  const skipped = [...uncharged.values()].reduce((counts, reason) => addCount(counts, reason, 1), stillLeftAlone(plan));
  return {
    pages,
    images,
    enhanced: objects.length,
    skipped,
    ...divideWork(
      plan.facts,
      plan.work.filter(({ number }) => !uncharged.has(number) && !needless.has(number)),
      paidExcept,
    ),
    notes: notesOn(plan, {
      enhanced: objects.length,
      kept: new Map([...uncharged, ...needless]),
      enlarged: new Map(results.flatMap(({ number, uncleaned }) => (uncleaned ? [[number, uncleaned] as const] : []))),
      turned: results.filter(({ turn }) => turn !== undefined).length,
      linearized: isLinearized(pdf),
      letters: skipped.find(({ reason }) => reason === 'letters')?.count ?? 0,
      ...sizes,
    }),
  };
}

function contradiction(cause: unknown): EngineError {
  return new EngineError('CORRUPT_FILE', {
    detail: 'The PDF is damaged: its cross-reference data and its objects describe different pages and images.',
    cause,
  });
}

function notesOn(
  plan: PdfPlan,
  {
    enhanced,
    kept,
    enlarged,
    turned,
    linearized,
    letters,
    ...sizes
  }: {
    enhanced: number;
    turned: number;
    linearized: boolean;
    letters: number;
  } & Uncleaned &
    Record<SizeStep | 'tooMuch', number[]>,
): string[] {
  const { facts, parameters } = plan;
  const isDocument = parameters.mode === 'DOCUMENT';
  const notes: string[] = [];
  const shortfall = findShortfall(facts, parameters);
  if (shortfall !== null) notes.push(shortfallNote(shortfall, parameters));
  const strangers = findStrangers(facts, parameters);
  if (strangers.length > 0)
    notes.push(
      `The order names images in \`images\` whose colours cannot change: ${joinNames(strangers)}. The list of images has the numbers of those that can.`,
    );
  const original = keptPages(parameters.pages);
  if (original.length > 0)
    notes.push(
      `The order keeps ${counted(original.length, 'page')} as in the original: ${joinNames(original)}. Images of these pages stay wherever they are drawn.`,
    );
  if (facts.rebuilt && enhanced > 0)
    notes.push('The structure of the PDF was damaged. The result has a repaired structure.');
  if (linearized && enhanced > 0)
    notes.push('The original is linearized for fast web view, and the result is not. Use `qpdf --linearize` on it.');
  if (turned > 0)
    notes.push(
      `${counted(turned, 'skewed page')} ${turned === 1 ? 'is' : 'are'} straight now, with text, links and marks.`,
    );
  for (const [step, { one, several, remedy }] of Object.entries(SIZE_STEPS)) {
    const numbers = sizes[step as keyof typeof sizes];
    if (numbers.length > 0)
      notes.push(
        `${counted(numbers.length, 'image')} ${numbers.length === 1 ? one : several}: ${joinNames(numbers)}. The PDF would grow beyond ${formatNumber(mostBytes(plan))} bytes. Ask for ${remedy}.`,
      );
  }
  const untouched = [...kept.values()].filter((reason) => reason === 'needs-nothing').length;
  if (isDocument) notes.push(...notesOnUncleaned(plan, { kept, enlarged }));
  else if (untouched > 0)
    notes.push(
      `Images whose tone and colour need nothing, and which were kept as they are at no charge: ${formatNumber(untouched)}.`,
    );
  if (letters > 0)
    notes.push(
      `Images of one bit whose letters read no better once enlarged, and which were kept as they are at no charge: ${formatNumber(letters)}.`,
    );
  const isExplained = untouched > 0 || sizes.tooMuch.length > 0 || letters > 0 || (isDocument && notes.length > 0);
  if (enhanced === 0 && !isExplained)
    notes.push(isDocument ? 'No image of the PDF can be cleaned.' : 'No image of the PDF needs this enhancement.');
  return notes;
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

/** What keeps a PDF within its maximum size, in words, for a note on the images by their numbers. */
const SIZE_STEPS: Record<SizeStep | 'tooMuch', Record<'one' | 'several' | 'remedy', string>> = {
  coarser: {
    one: `has a JPEG quality of at most ${REDUCED_QUALITY}`,
    several: `have a JPEG quality of at most ${REDUCED_QUALITY}`,
    remedy: 'a greater maxGrowth',
  },
  smaller: {
    one: 'is enlarged less than asked',
    several: 'are enlarged less than asked',
    remedy: 'a greater maxGrowth or a lower pdfQuality',
  },
  tooMuch: {
    one: 'stays as it is',
    several: 'stay as they are',
    remedy: 'a greater maxGrowth, a lower pdfQuality or a lower targetResolution',
  },
};

/** Returns the numbers in an order that name no image of the PDF, or that ask for colours where none can change. */
function findStrangers({ eligible }: PdfPlan['facts'], { images = {} }: PdfPlan['parameters']): string[] {
  const allows = new Map(
    eligible.flatMap(({ color, number, parts }) =>
      (parts ?? [{ number }]).map((part) => [String(part.number), color] as const),
    ),
  );
  return Object.keys(images).filter(
    (number) => !(allows.get(number) ?? false) && (images[number]!.color || !allows.has(number)),
  );
}

function stillLeftAlone({ facts, parameters, work }: PdfPlan): LeftAlone[] {
  const planned = new Set(work.filter(({ bilevel }) => bilevel).map(({ number }) => number));
  // A plan of an earlier version may enlarge such a scan.
  const coarse = findCoarseScans(facts, parameters).filter(({ number }) => !planned.has(number));
  const others = [...facts.bilevel.filter(({ number }) => planned.has(number)), ...coarse].reduce(
    (counts, { reason, parts }) => addCount(counts, reason, -(parts?.length ?? 1)),
    facts.leftAlone,
  );
  return addCount(others, 'letters', countImages(coarse));
}

const countImages = (pictures: readonly BilevelPicture[]): number =>
  pictures.reduce((sum, { parts }) => sum + (parts?.length ?? 1), 0);

function addCount(left: readonly LeftAlone[], reason: LeftAloneReason, count: number): LeftAlone[] {
  if (count === 0) return [...left];
  const known = left.find((each) => each.reason === reason)?.count ?? 0;
  const others = left.filter((each) => each.reason !== reason);
  return known + count > 0 ? [...others, { reason, count: known + count }] : others;
}
