import {
  MAX_AREAS_PER_PAGE,
  MAX_LISTED_AREAS,
  MAX_LISTED_PDF_PAGES,
  type ImageArea,
  type PdfPage,
  type PdfPageList,
} from '@burnish/contract/engine';
import { pageFrame, walkPages, type PageFrame } from '@burnish/pdf';
import { createContentWalker } from '../pages/content-walker.ts';
import type { Draw } from '../pages/draw-list.ts';
import { drawsOfPage } from '../pages/page-draws.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { withPdf } from '../with-pdf.ts';
import { listEnhancedPdfImages, listPdfImages } from './list-images.ts';

export interface ListPdfPagesInput {
  inputPath: string;
  password?: string;
  /** Local path of a result: the list then contains only images that it changed, and only their pages */
  resultPath?: string;
}

/**
 * Lists the pages of a PDF in order, with the areas of their images.
 * @throws EngineError as opening a PDF; PROCESSING_LIMIT
 */
export async function listPdfPages({ resultPath, ...input }: ListPdfPagesInput & Run): Promise<PdfPageList> {
  const { images } =
    resultPath === undefined ? await listPdfImages(input) : await listEnhancedPdfImages({ ...input, resultPath });
  const marked = new Set(images.map(({ number }) => number));
  return withPdf(input, async (document) => {
    const walker = createContentWalker(document);
    const pages: PdfPage[] = [];
    let [page, total, listed] = [0, 0, 0];
    for (const each of walkPages(document)) {
      page += 1;
      const frame = pageFrame(document, each);
      const draws = drawsOfPage(document, walker, each).filter(
        ({ image, hidden }) => !hidden && marked.has(image as number),
      );
      const areas = draws.flatMap((draw) => toArea(draw, frame) ?? []).slice(0, MAX_AREAS_PER_PAGE);
      if (page % 16 === 0) await yieldToEvents(input);
      if (resultPath !== undefined && areas.length === 0) continue;
      total += 1;
      if (pages.length >= MAX_LISTED_PDF_PAGES) continue;
      const images = areas.slice(0, MAX_LISTED_AREAS - listed);
      listed += images.length;
      pages.push({ page, width: frame.width, height: frame.height, images });
    }
    return { total, pages };
  });
}

/**
 * Returns the axis-aligned bounding box of a drawn image, clipped to the page; undefined for an image outside the page.
 */
function toArea({ image, matrix: [a, b, c, d, e, f] }: Draw, frame: PageFrame): ImageArea | undefined {
  const corners = [
    [e, f],
    [e + a, f + b],
    [e + c, f + d],
    [e + a + c, f + b + d],
  ].map(([x, y]) => frame.shown(x!, y!));
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  const [left, right] = extent(corners.map(({ x }) => within(x)));
  const [top, bottom] = extent(corners.map(({ y }) => within(y)));
  if (!(right > left) || !(bottom > top)) return undefined;
  const part = (value: number): number => Number(value.toFixed(4));
  return {
    number: image as number,
    left: part(left),
    top: part(top),
    width: part(right - left),
    height: part(bottom - top),
  };
}

const extent = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
