import { readFileSync, statSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { EngineError, pageInPixels } from '@burnish/contract/engine';
import { machineFault } from '../../machine-fault.ts';
import { pageBoxes, pageFrame, walkPages, type Page, type PdfDocument } from '@burnish/pdf';
import { createContentWalker } from '../pages/content-walker.ts';
import { drawsOfPage } from '../pages/page-draws.ts';
import { countPdfiumPages, drawPdfiumPage, loadPdfiumPage, openWithPdfium, pdfiumPageSize } from '../pdfium.ts';
import { withPdf } from '../with-pdf.ts';
import { writePreview } from '../../image/preview.ts';

/** Maximum size of a rendered file, bytes: PDFium loads the whole file into memory. */
export const MAX_RENDERED_BYTES = 512 * 1024 * 1024;

export interface PreviewPdfPageInput {
  inputPath: string;
  password?: string;
  outputPath: string;
  /** Page number, from 1 */
  page: number;
  /** Another side of the same page, which is drawn beside it as both lie on the page */
  otherPage?: number;
  /** Longest side, pixels; null for `FULL_PAGE_DPI` */
  side: number | null;
}

/**
 * Renders one page as PDF readers show it, with its annotations and form fields on white; or both sides of a split page.
 * @throws EngineError NOT_FOUND without such a page; CORRUPT_FILE; ENCRYPTED_PDF, WRONG_PASSWORD; PROCESSING_LIMIT for a
 * file of more than `MAX_RENDERED_BYTES`, and above the limits of a page
 */
export async function previewPdfPage({ outputPath, ...input }: PreviewPdfPageInput): Promise<void> {
  await writePreview(await drawPdfPage(input), input.side, outputPath);
}

/** Draws a page. @throws as `previewPdfPage` */
export async function drawPdfPage({
  inputPath,
  password,
  page,
  otherPage,
  side,
}: Omit<PreviewPdfPageInput, 'outputPath'>): Promise<Sharp> {
  if (statSync(inputPath).size > MAX_RENDERED_BYTES) {
    const detail = `Pages are shown of PDFs of up to ${MAX_RENDERED_BYTES / 1024 ** 2} MiB. Download the file to see them.`;
    throw new EngineError('PROCESSING_LIMIT', { detail });
  }
  const file = { inputPath, ...(password !== undefined && { password }) };
  return await render(file, await placePages(file, page, otherPage), side);
}

/** Pages as they are drawn: beside each other, or one below the other. */
interface PlacedPages {
  /** From left to right or from above to below, from 1 */
  pages: readonly number[];
  areBeside: boolean;
}

/**
 * Places two sides of a page as they lie on it. PDFium has no limits of its own, so pages are first read within those of the
 * analysis. Other faults are left to PDFium, which reads some damaged files that this reader cannot.
 */
async function placePages(
  file: Pick<PreviewPdfPageInput, 'inputPath' | 'password'>,
  page: number,
  otherPage: number | undefined,
): Promise<PlacedPages> {
  const pages = otherPage === undefined ? [page] : [page, otherPage];
  try {
    return await withPdf(file, (document) => {
      const walker = createContentWalker(document);
      const found: Page[] = [];
      let number = 0;
      for (const each of walkPages(document)) {
        number += 1;
        if (!pages.includes(number)) continue;
        drawsOfPage(document, walker, each);
        if (found.push(each) === pages.length) break;
      }
      const [one, other] = found;
      if (one === undefined || other === undefined) return { pages, areBeside: true };
      const { across, down } = wayTo(document, one, other);
      const areBeside = Math.abs(across) >= Math.abs(down);
      return { pages: (areBeside ? across : down) >= 0 ? pages : pages.toReversed(), areBeside };
    });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'PROCESSING_LIMIT') throw error;
    return { pages, areBeside: true };
  }
}

/** Returns how far the centre of a page lies from that of another side of it, as readers show them, points. */
function wayTo(document: PdfDocument, page: Page, other: Page): { across: number; down: number } {
  const frame = pageFrame(document, page);
  const [from, to] = [page, other].map(({ dict, userUnit }) => {
    const [left, bottom, right, top] = pageBoxes(document, dict).visible;
    return frame.shown(((left + right) / 2) * userUnit, ((bottom + top) / 2) * userUnit);
  }) as [{ x: number; y: number }, { x: number; y: number }];
  return { across: (to.x - from.x) * frame.width, down: (to.y - from.y) * frame.height };
}

async function render(
  { inputPath, password }: Pick<PreviewPdfPageInput, 'inputPath' | 'password'>,
  { pages, areBeside }: PlacedPages,
  side: number | null,
): Promise<Sharp> {
  const document = await openWithPdfium(readFileSync(inputPath), password).catch(async (cause: unknown) => {
    // This call throws the specific failure for a missing or wrong password.
    await withPdf({ inputPath, password }, () => undefined);
    throw machineFault(cause) ?? new EngineError('CORRUPT_FILE', { cause });
  });
  const count = countPdfiumPages(document);
  const missing = pages.find((page) => page > count);
  if (missing !== undefined) throw new EngineError('NOT_FOUND', { detail: `The PDF has ${count} pages.` });
  try {
    const found = pages.map((page) => loadPdfiumPage(document, page - 1));
    const sizes = found.map((page) => pdfiumPageSize(document, page));
    const sum = (lengths: readonly number[]): number => lengths.reduce((all, each) => all + each, 0);
    const [widths, heights] = [sizes.map(({ width }) => width), sizes.map(({ height }) => height)];
    const points = areBeside
      ? { width: sum(widths), height: Math.max(...heights) }
      : { width: Math.max(...widths), height: sum(heights) };
    const whole = pageInPixels(points, side);
    const along = areBeside ? widths : heights;
    const length = areBeside ? whole.width : whole.height;
    const edgeOf = (k: number): number => Math.round((sum(along.slice(0, k)) / sum(along)) * length);
    const parts = found.map((page, k) => {
      const own = Math.max(1, edgeOf(k + 1) - edgeOf(k));
      const size = areBeside ? { width: own, height: whole.height } : { width: whole.width, height: own };
      const raw = { ...size, channels: 4 } as const;
      const input = Buffer.from(drawPdfiumPage(document, page, size, 'RGBA'));
      return { input, raw, left: areBeside ? edgeOf(k) : 0, top: areBeside ? 0 : edgeOf(k) };
    });
    const [first, ...others] = parts;
    if (others.length === 0) return sharp(first!.input, { raw: first!.raw }).removeAlpha();
    const paper = { ...whole, channels: 3, background: '#fff' } as const;
    const { data, info } = await sharp({ create: paper })
      .composite(parts)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } });
  } catch (cause) {
    const detail = `Page ${pages[0]} cannot be rendered.`;
    throw machineFault(cause) ?? new EngineError('CORRUPT_FILE', { detail, cause });
  }
}
