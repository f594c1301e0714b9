import {
  type KindOfImage,
  type EnhancedPdfImage,
  type ListedPdfImage,
  type PdfImage,
  type PdfImageList,
  MAX_LISTED_PDF_IMAGES,
} from '@burnish/contract/engine';
import { createContentWalker } from '../pages/content-walker.ts';
import { hasPreview, reasonToLeave } from './eligibility.ts';
import { readFacts } from './facts.ts';
import { createFoundImages } from './found-images.ts';
import { readImageFacts, type ImageFacts } from '../images/image-facts.ts';
import { readMaskFacts } from '../images/mask.ts';
import { pageFrame, walkPages, type PdfDocument, type PdfStream } from '@burnish/pdf';
import { drawsOfPage } from '../pages/page-draws.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { withPdf } from '../with-pdf.ts';

export interface ListPdfImagesInput {
  inputPath: string;
  password?: string;
}

export interface ListEnhancedPdfImagesInput extends ListPdfImagesInput {
  resultPath: string;
}

/**
 * Lists the eligible images of a PDF in page order. Decodes no image.
 * @throws EngineError as opening a PDF; PROCESSING_LIMIT
 */
export async function listPdfImages({
  inputPath,
  password,
  factsPath,
  ...run
}: ListPdfImagesInput & { factsPath?: string } & Run): Promise<PdfImageList<ListedPdfImage>> {
  return withPdf({ inputPath, password }, async (pdf) => {
    const kinds = await readKinds(factsPath);
    const images = await imagesWhere(pdf, run, (image) => reasonToLeave(image) === undefined);
    return cutOff(
      images.map((image) => {
        const { kind = null, reason = null } = kinds.get(image.number) ?? {};
        return { ...image, kind, kindReason: reason };
      }),
    );
  });
}

async function readKinds(factsPath: string | undefined): Promise<Map<number, KindOfImage>> {
  const { eligible } = factsPath === undefined ? { eligible: [] } : await readFacts(factsPath);
  return new Map(
    eligible.flatMap(({ number, parts, shows }) =>
      (parts ?? [{ number }]).map((part) => [part.number, shows] as const),
    ),
  );
}

/** Lists the images that an enhancement changed. They keep their object numbers, and their data differ. */
export async function listEnhancedPdfImages({
  inputPath,
  password,
  resultPath,
  ...run
}: ListEnhancedPdfImagesInput & Run): Promise<PdfImageList<EnhancedPdfImage>> {
  return withPdf({ inputPath, password }, async (pdf) => {
    const images = await imagesWhere(pdf, run, hasPreview);
    return withPdf({ inputPath: resultPath, password }, async (result) => {
      const enhanced: EnhancedPdfImage[] = [];
      for (const image of images) {
        await yieldToEvents(run);
        const [before, after] = [readImageFacts(pdf, image.number), readImageFacts(result, image.number)];
        const change = before && after && findChange(pdf, before, result, after);
        if (change === undefined) continue;
        enhanced.push({
          ...image,
          enhanced: { width: after!.width, height: after!.height },
          maskOnly: change === 'mask',
        });
      }
      return cutOff(enhanced);
    });
  });
}

function cutOff<Image extends PdfImage>(images: Image[]): PdfImageList<Image> {
  return { total: images.length, images: images.slice(0, MAX_LISTED_PDF_IMAGES) };
}

async function imagesWhere(pdf: PdfDocument, run: Run, isWanted: (image: ImageFacts) => boolean): Promise<PdfImage[]> {
  const images = await allImages(pdf, run);
  return images.filter(({ number }) => isWanted(readImageFacts(pdf, number)!));
}

/** Returns every image object that a page draws, in page order. Decodes no image. */
export async function allImages(pdf: PdfDocument, run: Run): Promise<PdfImage[]> {
  const walker = createContentWalker(pdf);
  const found = createFoundImages(pdf);
  const places = new Map<number, { page: number; pages: number }>();
  let page = 0;
  for (const each of walkPages(pdf)) {
    const draws = drawsOfPage(pdf, walker, each);
    found.add(draws, (image) => walker.maskImages().has(image), pageFrame(pdf, each));
    page += 1;
    for (const number of new Set(draws.map(({ image }) => image))) {
      if (typeof number !== 'number') continue;
      const place = places.get(number);
      if (place === undefined) places.set(number, { page, pages: 1 });
      else place.pages += 1;
    }
    if (page % 16 === 0) await yieldToEvents(run);
  }
  return found
    .objects()
    .flatMap(({ number, resolution }) => {
      const facts = readImageFacts(pdf, number);
      if (facts === undefined) return [];
      const { width, height } = facts;
      const drawn = Number.isFinite(resolution) ? Math.round(resolution) : null;
      return [{ number, ...places.get(number)!, width, height, resolution: drawn }];
    })
    .sort((a, b) => a.page - b.page || a.number - b.number);
}

/** Returns what an enhancement changed of an image: its samples, or its mask alone; undefined for nothing. */
export function findChange(
  pdf: PdfDocument,
  before: ImageFacts,
  result: PdfDocument,
  after: ImageFacts,
): 'samples' | 'mask' | undefined {
  if (!isSameData(pdf, before.stream, result, after.stream)) return 'samples';
  const [one, other] = [readMaskFacts(pdf, before), readMaskFacts(result, after)];
  if (one === undefined || other === undefined) return undefined;
  return isSameData(pdf, one.image.stream, result, other.image.stream) ? undefined : 'mask';
}

const PIECE_BYTES = 1_000_000;

/** Returns whether two streams have the same stored bytes; reads up to the first difference. */
function isSameData(pdf: PdfDocument, one: PdfStream, other: PdfDocument, two: PdfStream): boolean {
  const length = pdf.rawLength(one);
  if (length !== other.rawLength(two)) return false;
  for (let at = 0; at < length; at += PIECE_BYTES) {
    const bytes = Math.min(PIECE_BYTES, length - at);
    if (!pdf.source.read(one.start + at, bytes).equals(other.source.read(two.start + at, bytes))) return false;
  }
  return true;
}
