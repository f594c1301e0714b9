import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TRIAL_PART_SIDE, TRIAL_WHOLE_SIDE, type PdfNote, type PdfParameters } from '@burnish/contract/engine';
import type { PdfDocument } from '@burnish/pdf';
import { writePreview } from '../image/preview.ts';
import type { Area } from '../image/steps/part-of-picture.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { readFacts, type PdfFacts } from '../pdf/analyze/facts.ts';
import { inspectPdf } from '../pdf/analyze/inspect.ts';
import { drawnOnOneOf } from '../pdf/analyze/left-out.ts';
import { applyFacts, makePlan } from '../pdf/analyze/plan.ts';
import { drawPdfPage } from '../pdf/analyze/preview-page.ts';
import { assemble } from '../pdf/enhance/assemble.ts';
import { enhanceSpan } from '../pdf/enhance/span.ts';
import { withPdf } from '../pdf/with-pdf.ts';
import { areaAround, inParts, type Centre } from './area.ts';

export interface TryPdfPageInput {
  inputPath: string;
  password?: string;
  /** What the analysis found; without it, the PDF is analyzed again */
  factsPath?: string;
  /** Folder for the pictures: `0` is the original, and the others follow the orders */
  outputDir: string;
  /** The names of the pictures as numbers, for the parent that collects them */
  pictures: readonly number[];
  orders: readonly PdfParameters[];
  /** From 1 */
  page: number;
  /** Centre of the part that is shown at `FULL_PAGE_DPI`; null: the whole page */
  centre: Centre | null;
}

/** What an order would do to a page. */
export interface TriedPage {
  /** Pictures of the page that would change */
  enhanced: number;
  notes: PdfNote[];
}

export interface PdfPageTrial {
  /** What the pictures show */
  area: Area;
  tried: TriedPage[];
}

/**
 * Shows what orders would do to one page of a PDF, without a result. Only the pictures of that page are enhanced; text is not read, and
 * scans of open books are not cut, and no archive is written.
 * @throws EngineError as `previewPdfPage` and `estimatePdf`
 */
export async function tryPdfPage(input: TryPdfPageInput & { models?: ModelSet }): Promise<PdfPageTrial> {
  const { inputPath, password, factsPath, outputDir, orders, page, centre, models } = input;
  const secret = password === undefined ? {} : { password };
  const area = await drawPart({ inputPath, ...secret, page, centre }, join(outputDir, '0'));
  const tried: TriedPage[] = [];
  await withPdf({ inputPath, password }, async (pdf) => {
    const facts = factsPath === undefined ? await inspectPdf(pdf, {}) : await readFacts(factsPath);
    applyFacts(pdf, facts);
    for (const [i, parameters] of orders.entries()) {
      const directory = await mkdtemp(join(outputDir, 'order-'));
      try {
        const resultPath = join(directory, 'result');
        const paths = { inputPath, ...secret, directory, outputPath: resultPath };
        tried.push(await enhancePage(pdf, facts, { parameters, page, models }, paths));
        await drawPart({ inputPath: resultPath, ...secret, page, centre }, join(outputDir, String(i + 1)));
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    }
  });
  return { area, tried };
}

/** Enhances the pictures that one page draws, into a file of its own. */
async function enhancePage(
  pdf: PdfDocument,
  facts: PdfFacts,
  { parameters, page, models }: { parameters: PdfParameters; page: number; models: ModelSet | undefined },
  paths: { inputPath: string; password?: string; directory: string; outputPath: string },
): Promise<TriedPage> {
  const whole = makePlan(facts, { ...parameters, archive: false, text: false, split: false, compact: false });
  const isShown = drawnOnOneOf([page]);
  const eligible = facts.eligible.filter(isShown);
  const shown = new Set(eligible.map(({ number }) => number));
  const work = whole.work.filter(({ number }) => shown.has(number));
  // The notes are about this page.
  const plan = { ...whole, facts: { ...facts, eligible }, work };
  await enhanceSpan(pdf, plan, [...plan.work.keys()], paths.directory, { models });
  const { enhanced, notes } = await assemble(pdf, plan, paths, {});
  return { enhanced, notes };
}

interface PagePart {
  inputPath: string;
  password?: string;
  page: number;
  centre: Centre | null;
}

/** Draws a page or a part of it as WebP. @returns what the picture shows */
async function drawPart({ centre, ...file }: PagePart, outputPath: string): Promise<Area> {
  if (centre === null) {
    await writePreview(await drawPdfPage({ ...file, side: TRIAL_WHOLE_SIDE }), TRIAL_WHOLE_SIDE, outputPath);
    return { left: 0, top: 0, width: 1, height: 1 };
  }
  const drawn = await drawPdfPage({ ...file, side: null });
  const { width, height } = await drawn.metadata();
  const area = areaAround(centre, { width, height }, TRIAL_PART_SIDE);
  await writePreview(drawn.extract(area), null, outputPath);
  return inParts(area, { width, height });
}
