import { fitQuality } from '../../image/codecs/fit-quality.ts';
import { readJpegTables } from '../../image/codecs/jpeg.ts';
import type { Picture } from '../../image/picture.ts';
import { section, type OnPart } from '../../image/progress.ts';
import type { ImageWork } from '../analyze/work.ts';
import { isPdfA, type PdfDocument } from '@burnish/pdf';
import { imageData } from '../images/image-decoder.ts';
import { encodeImage, encodeMask } from '../images/image-encoder.ts';
import { cropShare, type LoadedPart, type PagePicture } from '../pages/page-picture.ts';
import { bytesOf, type EncodedObject } from './encoded-object.ts';

/** Quality of a JPEG that would exceed its share of the growth of the file. */
export const REDUCED_QUALITY = 80;
/**
 * Codings to try for a clean page, whose hard edges on white need more bytes than the soft ones of a scan. Its chroma
 * stays at full size until the last.
 */
const CLEANED_CODINGS = [
  { quality: REDUCED_QUALITY, halved: false },
  { quality: 70, halved: false },
  { quality: 60, halved: false },
  { quality: 60, halved: true },
];

/** Quality below which chroma at half the size leaves more bytes to the strokes. */
const HALVED_BELOW = 60;

/** Share of the coding of a picture with a mask that its colours take. */
const COLOURS = 0.7;

export interface Coding {
  /** JPEG quality; absent: chosen by the source and the picture */
  quality: number | undefined;
  /** Chroma of a clean page is stored as in the source, mostly at half the size */
  halved?: boolean;
  /** Clean pages may get a palette in place of JPEG */
  palettes?: boolean;
}

/** Codings to try in turn for a picture that would exceed its share. */
export const coarserCodings = ({ clean }: ImageWork): readonly (Coding & { quality: number })[] =>
  clean === undefined ? [{ quality: REDUCED_QUALITY }] : CLEANED_CODINGS;

/** Whether a coding may make objects smaller. */
export const hasFineJpeg = (objects: readonly EncodedObject[], than: Coding & { quality: number }): boolean =>
  objects.some(({ image }) => {
    const tables = image?.filter === 'DCTDecode' ? readJpegTables(image.data) : undefined;
    return tables !== undefined && (tables.quality > than.quality || (than.halved === true && !tables.subsampled));
  });

/** The new samples and the new mask of a picture, before their coding. */
export interface NewSamples {
  page: PagePicture;
  picture: Picture | undefined;
  mask: Picture | undefined;
  /** The clean page in few colours */
  reduced?: Picture | undefined;
}

/** Encodes the samples and the mask of a picture, divided among the objects of its parts. */
export async function encodeObjects(
  pdf: PdfDocument,
  work: ImageWork,
  { page, picture, reduced, mask }: NewSamples,
  { quality, halved = false, palettes = false }: Coding,
  onPart?: OnPart,
): Promise<EncodedObject[]> {
  const stencils = isPdfA(pdf);
  const scale = Math.min(work.width / page.width, work.height / page.height);
  const objects: EncodedObject[] = [];
  for (const part of page.parts) {
    const object: EncodedObject = { number: part.number };
    const [from, to] = [objects.length / page.parts.length, (objects.length + 1) / page.parts.length];
    const middle = mask && part.mask ? from + COLOURS * (to - from) : to;
    if (picture)
      object.image = await encodeImage(extractPart(picture, page, part), part.image, {
        source: codedData(pdf, part),
        scale,
        photograph: work.photograph ?? false,
        drawn: work.drawn ?? false,
        wholeChroma: work.clean !== undefined && !halved,
        ...(reduced && palettes && { reduced: extractPart(reduced, page, part) }),
        ...(quality !== undefined && { quality }),
        onPart: section(onPart, from, middle),
      });
    if (mask && part.mask)
      object.mask = await encodeMask(
        extractPart(mask, page, part),
        part.mask === 'stencil' && stencils ? 'stencil' : 'soft',
        section(onPart, middle, to),
      );
    objects.push(object);
  }
  return objects;
}

/**
 * Encodes the samples of a picture with the largest JPEG quality within its share.
 * @param objects the picture in its usual coding
 * @returns undefined where no quality is enough, or nothing is a JPEG
 */
export async function fitObjects(
  pdf: PdfDocument,
  work: ImageWork,
  samples: NewSamples,
  { objects, most }: { objects: readonly EncodedObject[]; most: number },
): Promise<{ objects: EncodedObject[]; quality: number } | undefined> {
  const usual = Math.max(0, ...objects.map(({ image }) => (image && readJpegTables(image.data)?.quality) ?? 0));
  const fitted = await fitQuality(
    usual,
    (quality) => encodeObjects(pdf, work, samples, { quality, halved: quality < HALVED_BELOW }),
    (coded) => bytesOf(coded) <= most,
  );
  return fitted && { objects: fitted.result, quality: fitted.quality };
}

/** Returns the section of the result that belongs to one part. */
function extractPart(result: Picture, page: PagePicture, { x, y, width, height }: LoadedPart): Picture {
  // The mask of a single image may have another size.
  return cropShare(result, page.parts.length > 1 ? page : { width, height }, { x, y, width, height });
}

/** Returns the data that shows how a JPEG was coded. */
function codedData(pdf: PdfDocument, { image }: LoadedPart): Buffer {
  return image.encoding === 'DCTDecode' ? imageData(pdf, image).subarray(0, 65_536) : Buffer.alloc(0);
}
