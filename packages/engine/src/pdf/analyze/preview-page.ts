import { readFileSync, statSync } from 'node:fs';
import sharp from 'sharp';
import { EngineError } from '../../contract/engine-error.ts';
import { pageInPixels } from '../../contract/preview.ts';
import { machineFault } from '../../machine-fault.ts';
import { walkPages } from '@burnish/pdf';
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
  /** Longest side, pixels; null for `FULL_PAGE_DPI` */
  side: number | null;
}

/**
 * Renders one page as PDF readers show it, with its annotations and form fields on white.
 * @throws EngineError NOT_FOUND without such a page; CORRUPT_FILE; ENCRYPTED_PDF, WRONG_PASSWORD; PROCESSING_LIMIT for a
 * file of more than `MAX_RENDERED_BYTES`, and above the limits of a page
 */
export async function previewPdfPage({
  inputPath,
  password,
  outputPath,
  page,
  side,
}: PreviewPdfPageInput): Promise<void> {
  if (statSync(inputPath).size > MAX_RENDERED_BYTES) {
    const detail = `Pages are shown of PDFs of up to ${MAX_RENDERED_BYTES / 1024 ** 2} MiB. Download the file to see them.`;
    throw new EngineError('PROCESSING_LIMIT', { detail });
  }
  const file = { inputPath, ...(password !== undefined && { password }) };
  await assertReadable(file, page);
  const rendered = await render(file, page, side);
  const { width, height } = rendered;
  await writePreview(sharp(rendered.data, { raw: { width, height, channels: 4 } }).removeAlpha(), side, outputPath);
}

/**
 * PDFium has no limits of its own, so a page is first read within those of the analysis. Other faults are left to PDFium,
 * which reads some damaged files that this reader cannot.
 */
async function assertReadable(file: Pick<PreviewPdfPageInput, 'inputPath' | 'password'>, page: number): Promise<void> {
  try {
    await withPdf(file, (document) => {
      const walker = createContentWalker(document);
      let number = 0;
      for (const each of walkPages(document)) {
        number += 1;
        if (number < page) continue;
        drawsOfPage(document, walker, each);
        return;
      }
    });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'PROCESSING_LIMIT') throw error;
  }
}

async function render(
  { inputPath, password }: Pick<PreviewPdfPageInput, 'inputPath' | 'password'>,
  page: number,
  side: number | null,
) {
  const document = await openWithPdfium(readFileSync(inputPath), password).catch(async (cause: unknown) => {
    // This call throws the specific failure for a missing or wrong password.
    await withPdf({ inputPath, password }, () => undefined);
    throw machineFault(cause) ?? new EngineError('CORRUPT_FILE', { cause });
  });
  const pages = countPdfiumPages(document);
  if (page > pages) throw new EngineError('NOT_FOUND', { detail: `The PDF has ${pages} pages.` });
  try {
    const found = loadPdfiumPage(document, page - 1);
    const size = pageInPixels(pdfiumPageSize(document, found), side);
    return { ...size, data: drawPdfiumPage(document, found, size, 'RGBA') };
  } catch (cause) {
    throw machineFault(cause) ?? new EngineError('CORRUPT_FILE', { detail: `Page ${page} cannot be rendered.`, cause });
  }
}
