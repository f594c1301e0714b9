import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PdfFindings, PdfParameters } from '@burnish/contract/engine';
import { assemble, type AssembledPdf } from './assemble.ts';
import { toFindings } from '../analyze/findings.ts';
import { readFacts, writeFacts, type PdfFacts } from '../analyze/facts.ts';
import { inspectPdf } from '../analyze/inspect.ts';
import { assertArchivable } from '../archive/archive-pdf.ts';
import type { PdfDocument } from '@burnish/pdf';
import { applyFacts, divideWork, makePlan, readPlan, writePlan, type ChargedWork } from '../analyze/plan.ts';
import type { PdfPlan } from '../analyze/work.ts';
import type { QuarterTurns } from '../../image/quarter-turn.ts';
import { createPartialRun, type Run } from '../run.ts';
import { withPdf } from '../with-pdf.ts';
import { expectSize, type ExpectedSize } from './expected-size.ts';
import { enhanceSpan } from './span.ts';
import { resultName } from './result-file.ts';
import { enhanceScan, storeReading } from '../text/enhance-scan.ts';
import { readScan, type ReadWords, type ScanToRead } from '../text/page-words.ts';
import { isForOneGo, ONE_GO_PIXELS, splitIntoSpans, type ImageSpan } from './spans.ts';

/** Inputs and outputs are JSON, except for the signal and the callback of a run. */
export interface AnalyzePdfInput {
  inputPath: string;
  password?: string;
}

/** What earlier enhancements of the same upload have paid. */
export interface PaidInput {
  /** The pages that each of them left as they are; absent without such enhancements */
  paidExcept?: readonly number[][];
}

export interface FactsInput {
  facts?: PdfFacts;
  factsPath?: string;
}

export interface EstimatePdfInput extends FactsInput, PaidInput {
  inputPath?: string;
  /** Size of the PDF, bytes: what the sandbox checks the result by when it has the facts alone */
  fileBytes?: number;
  password?: string;
  parameters: PdfParameters;
}

export interface EnhancePdfInput extends AnalyzePdfInput, FactsInput, PaidInput {
  parameters: PdfParameters;
  outputPath: string;
}

/** For one run in this process. */
export interface TextInput {
  /** Reads the text of scans; the parameter `text` needs it */
  readWords?: ReadWords;
}

export interface EnhanceOrPlanPdfInput extends EnhancePdfInput {
  planPath: string;
  /** Maximum number of pixels, before and after, for one run */
  oneGoPixels?: number;
}

/** The work of a plan, for the caller to distribute. */
export interface PlannedPdf {
  images: number;
  spans: ImageSpan[];
}

export interface EnhancePdfSpanInput extends AnalyzePdfInput {
  planPath: string;
  images: readonly number[];
  outputDir: string;
}

export interface EnhancePdfScanInput extends AnalyzePdfInput {
  planPath: string;
  /** In the plan */
  index: number;
  resultPath: string;
  /** A PNG of the scan, where its text is to be read */
  scanPath: string;
  /** Quarter turns clockwise that its page needs, where the reader of its text has found them */
  direction?: QuarterTurns;
}

export interface AssemblePdfInput extends AnalyzePdfInput, PaidInput {
  planPath: string;
  resultsDir: string;
  outputPath: string;
}

export type PdfEstimate = ExpectedSize & ChargedWork;

/**
 * Inspects a PDF.
 * @param input with a `factsPath`, the facts are also written there
 * @throws EngineError CORRUPT_FILE, ENCRYPTED_PDF, PROCESSING_LIMIT, TOO_MANY_PIXELS
 */
export function analyzePdf(
  input: AnalyzePdfInput & { factsPath?: string } & Run,
): Promise<{ findings: PdfFindings; facts: PdfFacts }> {
  return withPdf(input, async (pdf) => {
    const facts = await inspectPdf(pdf, input);
    if (input.factsPath !== undefined) await writeFacts(input.factsPath, facts);
    return { findings: toFindings(facts), facts };
  });
}

/**
 * Counts the work of an enhancement with these parameters, and returns the expected size of the result. @throws as `analyzePdf`,
 * and EngineError SIGNED_PDF
 */
export async function estimatePdf({ inputPath, parameters, ...input }: EstimatePdfInput & Run): Promise<PdfEstimate> {
  let facts = await knownFacts(input);
  if (facts === undefined) {
    if (inputPath === undefined) throw new Error('An estimate needs the PDF, or what is known of it.');
    facts = (await analyzePdf({ ...input, inputPath })).facts;
  }
  const plan = makePlan(facts, parameters);
  return { ...divideWork(plan.facts, plan.work, input.paidExcept), ...expectSize(plan) };
}

/** Enhances a PDF in one run, for any amount of work. @throws as `estimatePdf` */
export function enhancePdf(input: EnhancePdfInput & TextInput & Run): Promise<AssembledPdf> {
  return withPdf(input, async (pdf) => enhanceInOneGo(pdf, await loadPlan(pdf, input), input));
}

export function enhanceOrPlanPdf(input: EnhanceOrPlanPdfInput & Run): Promise<AssembledPdf | PlannedPdf> {
  return withPdf(input, async (pdf) => {
    const plan = await loadPlan(pdf, input);
    if (isForOneGo(plan, input.oneGoPixels ?? ONE_GO_PIXELS)) return enhanceInOneGo(pdf, plan, input);
    await writePlan(input.planPath, plan);
    return { images: plan.work.length, spans: splitIntoSpans(plan) };
  });
}

export function enhancePdfSpan(input: EnhancePdfSpanInput & Run): Promise<void> {
  return withPdf(input, async (pdf) => {
    const plan = await readPlan(input.planPath, pdf);
    await enhanceSpan(pdf, plan, input.images, input.outputDir, input);
  });
}

/** Enhances one image of a plan, and draws the scan whose text is to be read. */
export function enhancePdfScan(input: EnhancePdfScanInput & Run): Promise<ScanToRead> {
  return withPdf(input, async (pdf) => {
    const plan = await readPlan(input.planPath, pdf);
    return enhanceScan(pdf, plan, input.index, input, input);
  });
}

export function assemblePdf(input: AssemblePdfInput & Run): Promise<AssembledPdf> {
  return withPdf(input, async (pdf) => {
    const plan = await readPlan(input.planPath, pdf);
    return assemble(pdf, plan, { ...input, directory: input.resultsDir }, input);
  });
}

/** Share of the progress for the inspection, and the progress at which assembling begins. */
const INSPECTED = 0.2;
const ENHANCED = 0.95;

async function enhanceInOneGo(
  pdf: PdfDocument,
  plan: PdfPlan,
  input: EnhancePdfInput & TextInput & Run,
): Promise<AssembledPdf> {
  const directory = await mkdtemp(join(dirname(input.outputPath), 'images-'));
  try {
    const run = createPartialRun(input, isKnown(input) ? 0 : INSPECTED, ENHANCED);
    await readInOneGo(pdf, plan, directory, input);
    await enhanceSpan(pdf, plan, [...plan.work.keys()], directory, run);
    return await assemble(pdf, plan, { ...input, directory }, input);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Enhances the pictures whose text is read, and stores both. */
async function readInOneGo(
  pdf: PdfDocument,
  plan: PdfPlan,
  directory: string,
  input: EnhancePdfInput & TextInput & Run,
): Promise<void> {
  const scanPath = join(directory, 'scan');
  for (const [index, { reads }] of plan.work.entries()) {
    if (reads === undefined) continue;
    const { models, signal, readWords } = input;
    if (readWords === undefined) throw new Error('The parameter `text` needs a function `readWords`.');
    const resultPath = join(directory, resultName(index));
    const draw = (direction?: QuarterTurns): Promise<ScanToRead> =>
      enhanceScan(pdf, plan, index, { resultPath, scanPath, direction }, { models, signal });
    await storeReading(directory, index, await readScan(draw, scanPath, plan.parameters.textLanguages, readWords));
  }
}

async function loadPlan(pdf: PdfDocument, input: EnhancePdfInput & Run): Promise<PdfPlan> {
  const facts = (await knownFacts(input)) ?? (await inspectPdf(pdf, createPartialRun(input, 0, INSPECTED)));
  applyFacts(pdf, facts);
  const plan = makePlan(facts, input.parameters);
  if (input.parameters.archive) await assertArchivable(pdf, { signal: input.signal });
  return plan;
}

const isKnown = ({ facts, factsPath }: FactsInput): boolean => facts !== undefined || factsPath !== undefined;

async function knownFacts({ facts, factsPath }: FactsInput): Promise<PdfFacts | undefined> {
  return factsPath === undefined ? facts : readFacts(factsPath);
}
