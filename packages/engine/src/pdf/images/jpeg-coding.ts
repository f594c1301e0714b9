import type { Picture } from '../../image/picture.ts';
import { keepColourspace, openJpeg, openPicture } from './open-jpeg.ts';
import { sampleBands } from './sample-bands.ts';

export interface JpegCoding {
  quality: number;
  subsampled: boolean;
}

/** Maximum root mean squared error that coding may add to an enlarged photograph, of 255: 43 dB. */
export const MAX_JPEG_ERROR = 1.8;
/** Qualities to try for an enlarged photograph, in ascending order. */
const QUALITIES = [70, 75, 80, 85, 90, 95];
/**
 * Safety factor of the error limit: errors are measured on the fast coding, and the thorough one adds up to 7 % on
 * photographs.
 */
const MARGIN = 0.93;
/** Up to this number of pixels, libjpeg may keep all coefficients in memory, for a smaller result. */
const THOROUGH_PIXELS = 16_000_000;

export function encodeJpeg(picture: Picture, coding: JpegCoding): Promise<Buffer> {
  return encode(picture, coding, picture.width * picture.height <= THOROUGH_PIXELS);
}

function encode(picture: Picture, { quality, subsampled }: JpegCoding, thorough: boolean): Promise<Buffer> {
  return openPicture(picture)
    .jpeg({
      quality,
      chromaSubsampling: subsampled ? '4:2:0' : '4:4:4',
      // Both options need all coefficients in memory at once: three times the image.
      optimiseCoding: thorough,
      trellisQuantisation: thorough,
      overshootDeringing: thorough,
    })
    .toBuffer();
}

/**
 * Finds the smallest coding with an error within `MAX_JPEG_ERROR`.
 * @param picture an enlarged one, 8-bit grey or RGB
 * @param range the lowest and the highest quality to try
 * @param chroma whether chroma is stored at half the size, in the order to try
 * @returns undefined when no quality is good enough
 */
export async function boundedCoding(
  picture: Picture,
  range: { least: number; most: number },
  chroma: readonly boolean[],
): Promise<JpegCoding | undefined> {
  const sample = sampleBands(picture);
  for (const subsampled of chroma)
    for (const quality of QUALITIES.filter((each) => each >= range.least && each <= range.most)) {
      const coding = { quality, subsampled };
      if ((await measureError(sample, coding)) <= MAX_JPEG_ERROR * MARGIN) return coding;
    }
  return undefined;
}

/** Returns the root mean squared error of a coding, of 255. */
async function measureError(picture: Picture, coding: JpegCoding): Promise<number> {
  const { data, space } = picture;
  const coded = await encode(picture, coding, false);
  const back = await keepColourspace(openJpeg(coded), space).raw().toBuffer();
  let sum = 0;
  for (let i = 0; i < data.length; i += 1) sum += (data[i]! - back[i]!) ** 2;
  return Math.sqrt(sum / data.length);
}
