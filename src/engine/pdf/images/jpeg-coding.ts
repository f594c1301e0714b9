import { emptySamples, type Picture } from '../../image/picture.ts';
import { keepColourspace, openJpeg, openPicture } from './open-jpeg.ts';

/** How a picture is coded as JPEG: the quality is on the scale of libjpeg. */
export interface JpegCoding {
  quality: number;
  /** Colour differences are stored at half the size */
  subsampled: boolean;
}

/** Root of the mean squared error that the coding of an enlarged photograph may add, of 255: 43 dB. */
export const MAX_JPEG_ERROR = 1.8;
/** Qualities that are tried for an enlarged photograph, the lowest first. */
const QUALITIES = [70, 75, 80, 85, 90, 95];
/** Errors are measured on the quick way of coding; the thorough one adds up to 7 % on photographs. */
const MARGIN = 0.93;
/** Pixels up to which libjpeg may hold all coefficients at once, to code them in less space. */
const THOROUGH_PIXELS = 16_000_000;
/** Pixels up to which the error is measured on the whole picture; of a larger one, on bands of its rows. */
const MEASURED_PIXELS = 16_000_000;
/** Rows of a band: whole blocks of JPEG, and so many that the joints between bands hardly count. */
const BAND_ROWS = 128;

/** Codes a picture as JPEG. */
export function encodeJpeg(picture: Picture, coding: JpegCoding): Promise<Buffer> {
  return encode(picture, coding, picture.width * picture.height <= THOROUGH_PIXELS);
}

function encode(picture: Picture, { quality, subsampled }: JpegCoding, thorough: boolean): Promise<Buffer> {
  return openPicture(picture)
    .jpeg({
      quality,
      chromaSubsampling: subsampled ? '4:2:0' : '4:4:4',
      // Both need all coefficients in memory at once: three times the image.
      optimiseCoding: thorough,
      trellisQuantisation: thorough,
      overshootDeringing: thorough,
    })
    .toBuffer();
}

/**
 * Finds the coding of least size whose error stays within `MAX_JPEG_ERROR`.
 * @param picture an enlarged one, 8-bit grey or RGB
 * @param range the lowest and the highest quality to try
 * @param subsampled whether colour differences may be stored at half the size
 * @returns undefined where none is good enough
 */
export async function boundedCoding(
  picture: Picture,
  range: { least: number; most: number },
  subsampled: boolean,
): Promise<JpegCoding | undefined> {
  const sample = bandsOf(picture);
  for (const halved of subsampled ? [true, false] : [false])
    for (const quality of QUALITIES.filter((each) => each >= range.least && each <= range.most)) {
      const coding = { quality, subsampled: halved };
      if ((await errorOf(sample, coding)) <= MAX_JPEG_ERROR * MARGIN) return coding;
    }
  return undefined;
}

/** Root of the mean squared difference that a coding makes, of 255. */
async function errorOf(picture: Picture, coding: JpegCoding): Promise<number> {
  const { data, space } = picture;
  const coded = await encode(picture, coding, false);
  const back = await keepColourspace(openJpeg(coded), space).raw().toBuffer();
  let sum = 0;
  for (let i = 0; i < data.length; i += 1) sum += (data[i]! - back[i]!) ** 2;
  return Math.sqrt(sum / data.length);
}

/** Bands that lie evenly over a large picture, put together. */
function bandsOf(picture: Picture): Picture {
  const { data, width, height, channels } = picture;
  const bands = Math.max(1, Math.floor(MEASURED_PIXELS / (width * BAND_ROWS)));
  if (width * height <= MEASURED_PIXELS || bands * BAND_ROWS >= height) return picture;
  const row = width * channels;
  const sample = emptySamples(picture, bands * BAND_ROWS * row);
  for (let band = 0; band < bands; band += 1) {
    const top = Math.floor((band * (height - BAND_ROWS)) / Math.max(1, bands - 1));
    sample.set(data.subarray(top * row, (top + BAND_ROWS) * row), band * BAND_ROWS * row);
  }
  return { ...picture, data: sample, height: bands * BAND_ROWS };
}
