import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { lumaOf } from '../luma.ts';

/** Side of the sampled windows, pixels, and their maximum number. */
const WINDOW = 64;
const MAX_WINDOWS = 256;
/**
 * Differences between neighbours, in levels of 255: below `FLAT` an area is flat, from `STEEP` an edge belongs to a
 * drawn shape.
 */
const FLAT = 8;
const STEEP = 32;

/** Statistics that separate pages and drawings from photographs; all values are 0..1. */
export interface EdgeStatistics {
  /** Share of pixels at a steep edge, among all pixels and among the pixels at any edge */
  steep: number;
  steepOfEdges: number;
  /** Share of pixels whose luma is close to the most frequent one: the background */
  ground: number;
}

/**
 * Returns whether a picture is a page of text, a chart or a line drawing: it has steep edges or none, and one
 * background. In photographs most edges are soft.
 */
export function isDrawing(picture: Picture): boolean {
  const { steep, steepOfEdges, ground } = edgeStatistics(picture);
  if (steepOfEdges < 0.4) return false;
  return (ground >= 0.3 && steep >= 0.06) || (ground >= 0.6 && steep >= 0.01);
}

/** Measures windows that are spread evenly over the picture. */
function edgeStatistics(picture: Picture): EdgeStatistics {
  const { width, height } = picture;
  const [across, down] = [Math.ceil(width / WINDOW), Math.ceil(height / WINDOW)];
  const stride = Math.max(1, Math.ceil(Math.sqrt((across * down) / MAX_WINDOWS)));
  const histogram = new Float64Array(64);
  let [pixels, soft, steep] = [0, 0, 0];
  for (let j = 0; j < down; j += stride) {
    for (let i = 0; i < across; i += stride) {
      const [right, bottom] = [Math.min(width, (i + 1) * WINDOW) - 1, Math.min(height, (j + 1) * WINDOW) - 1];
      for (let y = j * WINDOW; y < bottom; y += 1) {
        let here = luma(picture, i * WINDOW, y);
        for (let x = i * WINDOW; x < right; x += 1) {
          const next = luma(picture, x + 1, y);
          const step = Math.max(Math.abs(next - here), Math.abs(luma(picture, x, y + 1) - here));
          if (step >= STEEP) steep += 1;
          else if (step >= FLAT) soft += 1;
          histogram[Math.min(63, Math.floor(here / 4))]! += 1;
          pixels += 1;
          here = next;
        }
      }
    }
  }
  if (pixels === 0) return { steep: 0, steepOfEdges: 0, ground: 0 };
  const grounds = histogram.map((count, k) => count + (histogram[k - 1] ?? 0) + (histogram[k + 1] ?? 0));
  return {
    steep: steep / pixels,
    steepOfEdges: steep / Math.max(1, steep + soft),
    ground: Math.max(...grounds) / pixels,
  };
}

/** Returns the luma, 0..255; for CMYK the black channel. */
function luma(picture: Picture, x: number, y: number): number {
  const { data, width, channels } = picture;
  const at = (y * width + x) * channels;
  const scale = 255 / maxSample(picture);
  const colours = colourChannels(picture);
  if (colours !== 3) return data[at + colours - 1]! * scale;
  return lumaOf(data[at]!, data[at + 1]!, data[at + 2]!) * scale;
}
