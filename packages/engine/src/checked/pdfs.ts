import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { EngineError, FACTS_FORMAT, type EnhancementParameters, type PdfFindings } from '@burnish/contract/engine';
import type { PdfFacts } from '../pdf/analyze/facts.ts';
import { previewPdfPage as preview, type PreviewPdfPageInput } from '../pdf/analyze/preview-page.ts';
import type { AssembledPdf } from '../pdf/enhance/assemble.ts';
import {
  analyzePdf as analyze,
  enhancePdf as enhance,
  estimatePdf as estimate,
  type AnalyzePdfInput,
  type FactsInput,
  type PdfEstimate,
} from '../pdf/enhance/enhance.ts';
import type { ReadWords } from '../pdf/text/page-words.ts';
import type { Run } from '../pdf/run.ts';
import { checkInputFile, checkOutputFile } from './check-files.ts';
import { callback, checkInput, path, signal } from './check-input.ts';
import { anyParameters, checkPdfParameters } from './check-parameters.ts';
import { withEngineErrors } from './engine-errors.ts';
import { models } from './models.ts';

/** What an analysis found, or the file that it wrote. Without either, the PDF is analyzed again. */
interface AnalyzedPdf extends FactsInput {
  password?: string;
  /** By default, the values of the table of parameters */
  parameters?: EnhancementParameters;
  /** The pages that each earlier enhancement of the PDF left as they are, where its work is paid */
  paidExcept?: readonly number[][];
}

export interface EstimatePdfInput extends AnalyzedPdf {
  /** Only facts replace it */
  inputPath?: string;
}

export interface EnhancePdfInput extends AnalyzedPdf {
  inputPath: string;
  /** A path in a folder that exists */
  outputPath: string;
  /** Reads the words of a scan; the parameter `text` needs it */
  readWords?: ReadWords;
}

const FACTS_EXPECTED = `expected what analyzePdf returns, in format ${FACTS_FORMAT}`;
const facts = z.custom<PdfFacts>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    (value as Partial<PdfFacts>).format === FACTS_FORMAT &&
    [(value as PdfFacts).eligible, (value as PdfFacts).bilevel, (value as PdfFacts).leftAlone].every(Array.isArray),
  FACTS_EXPECTED,
);

const page = z.int().min(1);
const file = { inputPath: path, password: z.string().optional() };
const run = { models: models.optional(), onProgress: callback.optional(), signal: signal.optional() };
const order = {
  ...file,
  facts: facts.optional(),
  factsPath: path.optional(),
  parameters: anyParameters.optional(),
  paidExcept: z.array(z.array(page)).optional(),
  ...run,
};

const analyzeInput = z.strictObject({ ...file, factsPath: path.optional(), ...run });
const estimateInput = z.strictObject({ ...order, inputPath: path.optional() });
const enhanceInput = z.strictObject({ ...order, outputPath: path, readWords: callback.optional() });
const previewInput = z.strictObject({
  ...file,
  outputPath: path,
  page,
  otherPage: page.optional(),
  side: page.nullable(),
});

/**
 * Inspects a PDF.
 * @param input with a `factsPath`, the facts are also written there
 * @throws EngineError BAD_USER_INPUT, CORRUPT_FILE, ENCRYPTED_PDF, INTERNAL, PROCESSING_LIMIT, TOO_MANY_PIXELS, UNAVAILABLE,
 * WRONG_PASSWORD; the reason of `signal`
 */
export async function analyzePdf(
  input: AnalyzePdfInput & { factsPath?: string } & Run,
): Promise<{ findings: PdfFindings; facts: PdfFacts }> {
  checkInput(analyzeInput, input);
  return withEngineErrors(input, async (given) => {
    const original = await checkInputFile(given.inputPath);
    if (given.factsPath !== undefined) await checkOutputFile(given.factsPath, [original], 'factsPath');
    return analyze(given);
  });
}

/**
 * Counts the work of an enhancement with these parameters, and returns the expected size of the result.
 * @throws as `analyzePdf`, and EngineError SIGNED_PDF
 */
export async function estimatePdf(input: EstimatePdfInput & Run): Promise<PdfEstimate> {
  checkInput(estimateInput, input);
  return withEngineErrors(input, async ({ factsPath: _, ...given }) => {
    const parameters = checkPdfParameters(given.parameters);
    const known = await checkFacts(input);
    if (known !== undefined) return estimate({ ...given, facts: known, parameters });
    if (given.inputPath === undefined) {
      const detail = 'An estimate needs the PDF or its facts. Give inputPath, facts or factsPath.';
      throw new EngineError('BAD_USER_INPUT', { field: 'inputPath', detail });
    }
    await checkInputFile(given.inputPath);
    return estimate({ ...given, parameters });
  });
}

/** Enhances a PDF. @throws as `estimatePdf` */
export async function enhancePdf(input: EnhancePdfInput & Run): Promise<AssembledPdf> {
  checkInput(enhanceInput, input);
  return withEngineErrors(input, async ({ factsPath: _, ...given }) => {
    const parameters = checkPdfParameters(given.parameters);
    if (parameters.text && given.readWords === undefined) {
      const detail = 'The parameter text needs a function that reads words. Give readWords, or remove text.';
      throw new EngineError('BAD_USER_INPUT', { field: 'readWords', detail });
    }
    const known = await checkFacts(input);
    await checkOutputFile(given.outputPath, [await checkInputFile(given.inputPath)]);
    return enhance({ ...given, ...(known !== undefined && { facts: known }), parameters });
  });
}

/**
 * Renders one page as PDF readers show it, as a WebP; or both sides of a split page.
 * @throws as `analyzePdf`, and EngineError NOT_FOUND without such a page
 */
export async function previewPdfPage(input: PreviewPdfPageInput): Promise<void> {
  checkInput(previewInput, input);
  await withEngineErrors(input, async ({ inputPath, outputPath }) => {
    await checkOutputFile(outputPath, [await checkInputFile(inputPath)]);
    await preview(input);
  });
}

/** Returns the known facts, which must be those of the file. */
async function checkFacts({ facts: given, factsPath, inputPath }: EstimatePdfInput): Promise<PdfFacts | undefined> {
  const field = factsPath === undefined ? 'facts' : 'factsPath';
  const known = factsPath === undefined ? given : await readFacts(factsPath);
  if (known === undefined || inputPath === undefined) return known;
  if ((await checkInputFile(inputPath)).size === known.fileBytes) return known;
  throw new EngineError('BAD_USER_INPUT', { field, detail: `${field} belongs to another PDF. Analyze this one.` });
}

async function readFacts(factsPath: string): Promise<PdfFacts> {
  await checkInputFile(factsPath, 'factsPath');
  const text = await readFile(factsPath, 'utf8');
  try {
    return facts.parse(JSON.parse(text));
  } catch (cause) {
    throw new EngineError('BAD_USER_INPUT', {
      field: 'factsPath',
      detail: `Field factsPath: ${FACTS_EXPECTED}.`,
      cause,
    });
  }
}
