import type { Picture } from '../../image/picture.ts';
import { decodeBilevel } from './bilevel-decoder.ts';
import { pictureSpace } from './color-space.ts';
import { DamagedImage } from './damaged-image.ts';
import type { ImageFacts } from './image-facts.ts';
import { decodeJpx } from './jpx-decoder.ts';
import { PDF_LIMITS, isLimit } from '../limits.ts';
import type { PdfDocument } from '../document/pdf-document.ts';
import { jpegSpace, keepColourspace, openJpeg } from './open-jpeg.ts';
import { unpackSamples } from './unpack-samples.ts';

/**
 * All samples of an image that `reasonToLeave` or `isBilevel` lets pass, in the image's own colour space, its `Decode` array not
 * applied.
 * @throws DamagedImage
 */
export async function decodeImage(pdf: PdfDocument, image: ImageFacts): Promise<Picture> {
  const data = imageData(pdf, image);
  if (image.encoding === 'DCTDecode') return decodeJpeg(data, image);
  if (image.jpx) return decodeJpxData(data, image);
  if (image.encoding !== undefined) return decodeBilevel(pdf, image, data);
  const picture = unpackSamples(data, image);
  if (picture === undefined) throw new DamagedImage('samples are missing');
  return picture;
}

/** The data with every filter undone that is not the image's own coding; good until the data of another is asked for in the same slot. @throws DamagedImage */
export function imageData(pdf: PdfDocument, image: ImageFacts, slot?: number): Buffer {
  if (image.jpeg && !pdf.encryption && pdf.filters(image.stream).length === 1)
    return pdf.borrowRawData(image.stream, slot);
  // Samples of the declared size, the predictor's byte a row, and room for what some writers leave at the end.
  const expected =
    image.height * (Math.ceil((image.width * Math.max(1, image.color.components) * Math.max(8, image.bits)) / 8) + 1);
  const cap = image.encoding === undefined ? expected + 1_000_000 : PDF_LIMITS.objectBytes.max * 4;
  try {
    return pdf.decode(image.stream, 'imageBytes', cap).data;
  } catch (error) {
    if (isLimit(error, 'imageBytes')) throw new DamagedImage('there is more data than the image has room for');
    throw error;
  }
}

/**
 * Decodes a JPEG in the components of its colour space.
 * @param side the longest that a side may be, pixels; libjpeg decodes at an eighth of the size where that is enough
 * @throws DamagedImage
 */
export async function decodeJpeg(data: Buffer, { color }: ImageFacts, side?: number): Promise<Picture> {
  try {
    const whole = keepColourspace(openJpeg(data), jpegSpace(color.components));
    const image = side === undefined ? whole : whole.resize(side, side, { fit: 'inside', withoutEnlargement: true });
    const { data: samples, info } = await image.raw().toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return { data: samples, width, height, channels, space: pictureSpace(color, channels), hasAlpha: false };
  } catch (error) {
    throw new DamagedImage('a JPEG does not decode', { cause: error });
  }
}

/** Decodes a JPEG 2000. @param levels how often its size is halved @throws DamagedImage */
export async function decodeJpxData(data: Buffer, image: ImageFacts, levels = 0): Promise<Picture> {
  try {
    return await decodeJpx(data, image, levels);
  } catch (error) {
    throw new DamagedImage('a JPEG 2000 does not decode', { cause: error });
  }
}
