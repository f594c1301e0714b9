import type { Picture } from '../../image/picture.ts';
import { decodeImage, decodeJpeg, decodeJpxData, imageData } from '../images/image-decoder.ts';
import type { ImageFacts } from '../images/image-facts.ts';
import type { JpxHeader } from '../images/jpx-header.ts';
import type { PdfDocument } from '@burnish/pdf';

/** Longest side of a thumbnail, pixels. */
export const THUMBNAIL_SIDE = 256;

export interface Thumbnail {
  /** 8 bits per sample, in the image's own colour space, without its `Decode` array */
  thumbnail: Picture;
  full: Picture | undefined;
}

/**
 * Decodes an image, reduced where its coding allows.
 * @param side maximum length of a side, pixels
 * @param slot slot of the memory for raw data
 * @throws DamagedImage
 */
export async function createThumbnail(
  pdf: PdfDocument,
  image: ImageFacts,
  side = THUMBNAIL_SIDE,
  slot?: number,
): Promise<Thumbnail> {
  if (image.jpeg) return { thumbnail: await decodeJpeg(imageData(pdf, image, slot), image, side), full: undefined };
  if (image.jpx && image.mask !== 'in-data')
    return {
      thumbnail: shrink(await smallerJpx(imageData(pdf, image), image, image.jpx, side), side),
      full: undefined,
    };
  const full = await decodeImage(pdf, image);
  return { thumbnail: shrink(full, side), full };
}

/** Decodes a lower resolution level of JPEG 2000; each level halves the size. */
function smallerJpx(data: Buffer, image: ImageFacts, { levels }: JpxHeader, side: number): Promise<Picture> {
  const wanted = Math.floor(Math.log2(Math.max(image.width, image.height) / side));
  return decodeJpxData(data, image, Math.max(0, Math.min(levels, wanted)));
}

/** Reduces a picture by averaging blocks of whole pixels. */
function shrink(picture: Picture, side: number): Picture {
  const { data, width, height, channels } = picture;
  const step = Math.ceil(Math.max(width, height) / side);
  const shift = data instanceof Uint16Array ? 8 : 0;
  const [columns, rows] = [Math.max(1, Math.floor(width / step)), Math.max(1, Math.floor(height / step))];
  const block = Math.min(step, width) * Math.min(step, height);
  const out = new Uint8Array(columns * rows * channels);
  const sums = new Float64Array(columns * channels);
  for (let row = 0; row < rows; row += 1) {
    sums.fill(0);
    for (let y = row * step; y < Math.min(height, (row + 1) * step); y += 1) {
      for (let x = 0; x < Math.min(width, columns * step); x += 1) {
        const to = Math.floor(x / step) * channels;
        const from = (y * width + x) * channels;
        for (let c = 0; c < channels; c += 1) sums[to + c]! += data[from + c]!;
      }
    }
    for (let i = 0; i < sums.length; i += 1) out[row * sums.length + i] = sums[i]! / block / (1 << shift);
  }
  return { ...picture, data: out, width: columns, height: rows };
}
