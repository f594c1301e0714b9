import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PdfAnalysis } from '../../domain/analysis.ts';
import type { PdfParameters } from '../../domain/parameters.ts';
import type { PdfWork } from '../../domain/pricing.ts';
import { analysisOf } from './analysis.ts';
import { assemble, type AssembledPdf } from './assemble.ts';
import type { PdfFacts } from './facts.ts';
import { inspectPdf } from './inspect.ts';
import { openObjectStore, type ObjectStore } from './object-store.ts';
import { applyFacts, costOf, makePlan, readPlan, writePlan, type PdfOptions, type PdfPlan } from './plan.ts';
import { partOf, type Run } from './run.ts';
import { enhanceSpan } from './span.ts';

/** Inputs and outputs are JSON, but for the signal and the callback of a run. */
export interface AnalyzePdfInput {
  /** Local path of the PDF */
  inputPath: string;
}

export interface EstimatePdfInput extends AnalyzePdfInput, PdfOptions {
  parameters: PdfParameters;
  /** What `analyzePdf` found out about this file, so that it is not inspected again */
  facts?: PdfFacts;
}

export interface PlanPdfInput extends EstimatePdfInput {
  /** Where the plan is written */
  planPath: string;
}

export interface EnhancePdfSpanInput extends AnalyzePdfInput {
  planPath: string;
  /** First image of the plan, and the first one that is no longer meant */
  from: number;
  to: number;
  /** Results go here under names that do not depend on the span */
  outputDir: string;
}

export interface AssemblePdfInput extends AnalyzePdfInput {
  planPath: string;
  spanDirs: readonly string[];
  outputPath: string;
}

export interface EnhancePdfInput extends EstimatePdfInput {
  outputPath: string;
}

export interface PdfEstimate {
  credits: number;
  work: PdfWork;
}

/** Inspects a PDF. @throws Failure CORRUPT_FILE, ENCRYPTED_PDF, PROCESSING_LIMIT, TOO_MANY_PIXELS */
export function analyzePdf(input: AnalyzePdfInput & Run): Promise<{ analysis: PdfAnalysis; facts: PdfFacts }> {
  return withStore(input.inputPath, async (store) => {
    const facts = await inspectPdf(store, input);
    return { analysis: analysisOf(facts), facts };
  });
}

/** What enhancing with these parameters will charge. @throws as `analyzePdf`, and Failure SIGNED_PDF */
export async function estimatePdf(input: EstimatePdfInput & Run): Promise<PdfEstimate> {
  return costOf(await planOf(input));
}

/** Plans an enhancement for its spans. @returns how many images the plan lists, and what they cost. @throws as `estimatePdf` */
export async function planPdf(input: PlanPdfInput & Run): Promise<PdfEstimate & { images: number }> {
  const plan = await planOf(input);
  await writePlan(input.planPath, plan);
  return { images: plan.work.length, ...costOf(plan) };
}

/** Enhances the images `from` to `to` (not included) of a plan; those that are there already are not done again. */
export function enhancePdfSpan(input: EnhancePdfSpanInput & Run): Promise<void> {
  return withStore(input.inputPath, async (store) => {
    const plan = await readPlan(input.planPath, store);
    await enhanceSpan(store, plan, input.from, input.to, input.outputDir, input);
  });
}

/** Puts the results of all spans into one PDF and checks it. */
export function assemblePdf(input: AssemblePdfInput & Run): Promise<AssembledPdf> {
  return withStore(input.inputPath, async (store) => {
    const plan = await readPlan(input.planPath, store);
    return assemble(store, plan, { ...input, directories: input.spanDirs }, input);
  });
}

/** Plans, enhances and assembles in one go. @throws as `estimatePdf` */
export function enhancePdf(input: EnhancePdfInput & Run): Promise<AssembledPdf> {
  return withStore(input.inputPath, async (store) => {
    const facts = input.facts ?? (await inspectPdf(store, partOf(input, 0, 0.2)));
    applyFacts(store, facts);
    const plan = makePlan(facts, input.parameters, input);
    const directory = await mkdtemp(join(dirname(input.outputPath), 'images-'));
    try {
      await enhanceSpan(store, plan, 0, plan.work.length, directory, partOf(input, input.facts ? 0 : 0.2, 0.95));
      return await assemble(store, plan, { ...input, directories: [directory] }, input);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

async function planOf(input: EstimatePdfInput & Run): Promise<PdfPlan> {
  const facts = input.facts ?? (await analyzePdf(input)).facts;
  return makePlan(facts, input.parameters, input);
}

async function withStore<T>(path: string, use: (store: ObjectStore) => Promise<T>): Promise<T> {
  const store = openObjectStore(path);
  try {
    return await use(store);
  } finally {
    store.close();
  }
}
