import type { Picture } from '../../image/picture.ts';
import { machineFault } from '../../machine-fault.ts';
import { decodeBilevel } from './bilevel-decoder.ts';
import { pictureSpace } from './color-space.ts';
import { DamagedImage } from './damaged-image.ts';
import type { ImageFacts } from './image-facts.ts';
import { decodeJpx } from './jpx-decoder.ts';
import { PDF_LIMITS, PdfError, type PdfDocument } from '@burnish/pdf';
import { jpegSpace, keepColourspace, openJpeg } from './open-jpeg.ts';
import { lookUp, unpackSamples } from './unpack-samples.ts';

/**
 * Decodes all samples of an image accepted by `reasonToLeave` or `isBilevel`. The samples stay in the image's own
 * colour space, without its `Decode` array.
 * @throws DamagedImage
 */
export async function decodeImage(pdf: PdfDocument, image: ImageFacts): Promise<Picture> {
  const data = imageData(pdf, image);
  if (image.encoding === 'DCTDecode') return decodeJpeg(data, image);
  if (image.jpx) return decodeJpxData(data, image);
  if (image.encoding !== undefined) {
    const bits = await decodeBilevel(pdf, image, data);
    return 'base' in image.color ? lookUp(bits.data, image, image.color) : bits;
  }
  const picture = unpackSamples(data, image);
  if (picture === undefined) throw new DamagedImage('samples are missing');
  return picture;
}

/**
 * Decodes all filters except the image's own coding. The data is valid until the next call with the same slot. @throws
 * DamagedImage
 */
export function imageData(pdf: PdfDocument, image: ImageFacts, slot?: number): Buffer {
  if (image.jpeg && !pdf.encryption && pdf.filters(image.stream).length === 1)
    return pdf.borrowRawData(image.stream, slot);
  // Samples of the declared size, one predictor byte per row, and space for trailing bytes of some writers.
  const expected =
    image.height * (Math.ceil((image.width * Math.max(1, image.color.components) * Math.max(8, image.bits)) / 8) + 1);
  const cap = image.encoding === undefined ? expected + 1_000_000 : PDF_LIMITS.objectBytes.max * 4;
  try {
    return pdf.decode(image.stream, 'imageBytes', cap).data;
  } catch (error) {
    if (error instanceof PdfError && error.limit === 'imageBytes')
      throw new DamagedImage('there is more data than the image has room for');
    throw error;
  }
}

/**
 * Decodes a JPEG in the components of its colour space.
 * @param side maximum length of a side, pixels; libjpeg decodes at down to an eighth of the size when that suffices
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
    throw machineFault(error) ?? new DamagedImage('a JPEG does not decode', { cause: error });
  }
}

/** Decodes a JPEG 2000. @param levels number of times to halve its size @throws DamagedImage */
export async function decodeJpxData(data: Buffer, image: ImageFacts, levels = 0): Promise<Picture> {
  try {
    return await decodeJpx(data, image, levels);
  } catch (error) {
    throw machineFault(error) ?? new DamagedImage('a JPEG 2000 does not decode', { cause: error });
  }
}
