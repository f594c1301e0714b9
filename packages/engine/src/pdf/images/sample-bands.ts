import { emptySamples, type Picture } from '../../image/picture.ts';

/** Up to this number of pixels, the whole picture is its own sample. */
export const MEASURED_PIXELS = 16_000_000;
/** Rows of a band: whole JPEG blocks, and enough rows that the joints between bands hardly count. */
const BAND_ROWS = 128;

/** Joins bands of rows, evenly spaced over a large picture. */
export function sampleBands(picture: Picture): Picture {
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
