import {
  counted,
  MAX_REPORTED_PAGES,
  mediaKind,
  resolvePdfParameters,
  type EnhancementParameters,
  type PictureIndex,
  type ReportContent,
  type ReportedImageList,
  type ReportedPicture,
  HIGHEST_RESOLUTION,
  type Enhancement,
  Failure,
  type Upload,
} from '@burnish/contract';
import { fingerprint } from '../commands/idempotency.ts';
import type { Previews, ShownFile } from '../previews/previews.ts';
import { viewOriginal, viewResult, type Viewed } from '../previews/viewed.ts';
import { describeImage, pixels, preflightTexts, proofTexts } from './report-content.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export type Reports = ReturnType<typeof createReports>;

/** Width of pictures in the layout, pixels: about 280 DPI beside each other. */
const WIDTH = 960;

/**
 * Reports as PDF, for the job ticket of a press. They consist of previews, and are stored next to them under a digest
 * of their content. A report of changed records is rendered again.
 */
export function createReports({
  previews,
  engineVersion,
  waitMs,
}: {
  previews: Previews;
  engineVersion: string;
  waitMs: number;
}) {
  const awaited = createAwaitedWork(waitMs);

  /** Collects the previews of a report. Omits pictures that cannot be rendered. */
  function collector() {
    const files: ShownFile[] = [];
    return {
      files,
      async add(make: () => Promise<ShownFile>): Promise<PictureIndex | null> {
        try {
          return files.push(await make()) - 1;
        } catch (error) {
          if (error instanceof Failure && !error.retryable && error.code !== 'RATE_LIMITED') return null;
          throw error;
        }
      },
    };
  }
  type Collector = ReturnType<typeof collector>;

  async function planOfPdf(original: Viewed, result: Viewed | null, given: EnhancementParameters) {
    const parameters = resolvePdfParameters(given, HIGHEST_RESOLUTION);
    return { images: await previews.describePdfImages(original, result, parameters), parameters };
  }

  async function imagesOfPdf(
    { add }: Collector,
    original: Viewed,
    result: Viewed | null,
    { total, images }: ReportedImageList,
    enhancement: Enhancement | null,
  ): Promise<ReportContent['images']> {
    if (total === 0) return null;
    const rows: NonNullable<ReportContent['images']>['rows'] = [];
    for (const image of images) {
      const { number, shown } = image;
      const { title, lines, ...captions } = describeImage(image, enhancement);
      const show = async (viewed: Viewed, caption: string): Promise<ReportedPicture> => ({
        picture: shown ? await add(() => previews.pdfImage(viewed, number, WIDTH)) : null,
        caption,
      });
      const before = await show(original, captions.before);
      const after = result && captions.after !== null ? await show(result, captions.after) : null;
      rows.push({ title, lines, before, after });
    }
    const more = total - images.length;
    const note =
      more > 0 ? `${counted(more, 'more image')} of the PDF ${more === 1 ? 'is' : 'are'} not shown here.` : null;
    return { heading: 'Images', note, rows };
  }

  async function pagesOfPdf(
    { add }: Collector,
    original: Viewed,
    result: Viewed | null,
  ): Promise<ReportContent['pages']> {
    const { pages } = result ? await previews.enhancedPdfPages(original, result) : await previews.pdfPages(original);
    const drawn: ReportContent['pages'] = [];
    for (const { page, images } of pages.filter((each) => each.images.length > 0).slice(0, MAX_REPORTED_PAGES)) {
      const before = await add(() => previews.pdfPage(original, page, WIDTH));
      const after = result && (await add(() => previews.pdfPage(result, page, WIDTH)));
      const marked = result ? 'before and after; enhanced images are outlined' : 'images are outlined';
      drawn.push({ heading: `Page ${page}: ${marked}`, before, after, outlines: images });
    }
    return drawn;
  }

  async function imagesOfImage(
    { add }: Collector,
    original: Viewed,
    result: Viewed | null,
    captions: { before: string; after: string | null },
  ): Promise<ReportContent['images']> {
    const show = async (viewed: Viewed, caption: string): Promise<ReportedPicture> => ({
      picture: await add(() => previews.file(viewed, WIDTH)),
      caption,
    });
    const before = await show(original, captions.before);
    const after = result && captions.after !== null ? await show(result, captions.after) : null;
    const heading = result ? 'Before and after' : 'Picture';
    return { heading, note: null, rows: [{ title: '', lines: [], before, after }] };
  }

  function make(viewed: Viewed, content: ReportContent, { files }: Collector): Promise<ShownFile> {
    return previews.report(viewed, fingerprint(content).slice(0, 32), content, files);
  }

  async function ofUpload(upload: Upload, enhancements: readonly Enhancement[]): Promise<ShownFile> {
    const original = viewOriginal(upload);
    const isPdf = mediaKind(original.mimetype) === 'pdf';
    const plan = isPdf && upload.analysis !== null ? await planOfPdf(original, null, {}) : null;
    const texts = preflightTexts(upload, enhancements, engineVersion, plan);
    const pictures = collector();
    if (!isPdf) {
      const images = await imagesOfImage(pictures, original, null, {
        before: pixels(upload),
        after: null,
      });
      return make(original, { ...texts, images, pages: [] }, pictures);
    }
    if (plan === null) return make(original, { ...texts, images: null, pages: [] }, pictures);
    const images = await imagesOfPdf(pictures, original, null, plan.images, null);
    return make(original, { ...texts, images, pages: await pagesOfPdf(pictures, original, null) }, pictures);
  }

  async function ofEnhancement(upload: Upload, enhancement: Enhancement): Promise<ShownFile> {
    const [original, result] = [viewOriginal(upload), viewResult(enhancement)];
    const pictures = collector();
    if (mediaKind(original.mimetype) === 'image') {
      const texts = proofTexts(upload, enhancement, null);
      const { width, height } = enhancement.result!;
      const captions = { before: `Before: ${pixels(upload)}`, after: `After: ${pixels({ width, height })}` };
      const images = await imagesOfImage(pictures, original, result, captions);
      return make(result, { ...texts, images, pages: [] }, pictures);
    }
    const plan = await planOfPdf(original, result, enhancement.parameters);
    const texts = proofTexts(upload, enhancement, plan);
    const images = await imagesOfPdf(pictures, original, result, plan.images, enhancement);
    return make(result, { ...texts, images, pages: await pagesOfPdf(pictures, original, result) }, pictures);
  }

  return {
    /** @returns undefined while the report is being made: a later call gets it */
    ofUpload: (upload: Upload, enhancements: readonly Enhancement[]) =>
      awaited(fingerprint({ upload, enhancements }), () => ofUpload(upload, enhancements)),
    /** Like `ofUpload`. */
    ofEnhancement: (upload: Upload, enhancement: Enhancement) =>
      awaited(fingerprint({ upload, enhancement }), () => ofEnhancement(upload, enhancement)),
  };
}

/** Outcomes that are kept until somebody asks for them. */
const MAX_KEPT = 1_000;

/**
 * Work that may outlast its request. Equal requests share it. A request gets the result, the error, or undefined after some
 * time; then the work continues, and the next request for the same key gets its outcome.
 */
function createAwaitedWork(waitMs: number) {
  const pieces = new Map<string, Promise<unknown>>();

  return async function awaited<T>(key: string, work: () => Promise<T>): Promise<T | undefined> {
    let piece = pieces.get(key) as Promise<T> | undefined;
    if (piece === undefined) {
      if (pieces.size >= MAX_KEPT) pieces.delete(pieces.keys().next().value!);
      piece = work();
      // The next request gets the error.
      piece.catch(() => undefined);
      pieces.set(key, piece);
    }
    const waiting = new AbortController();
    const late = sleep(waitMs, 'late' as const, { signal: waiting.signal }).catch(() => 'late' as const);
    try {
      const outcome = await Promise.race([piece.then((value) => ({ value })), late]);
      if (outcome === 'late') return undefined;
      pieces.delete(key);
      return outcome.value;
    } catch (error) {
      pieces.delete(key);
      throw error;
    } finally {
      waiting.abort();
    }
  };
}
