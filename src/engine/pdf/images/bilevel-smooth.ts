import type { Picture } from '../../image/picture.ts';

/** Sigma of the Gaussian that smooths the steps of edges, pixels of the source. */
const SIGMA = 0.6;
/** Radius of the kernel, pixels: samples beyond it weigh less than 0.1 %. */
const REACH = 2;
const TAPS = 2 * REACH + 1;
/** Minimum distance of the blurred value from one half, at the centre of a source pixel and on that pixel's side. */
const MARGIN = 0.2;
/** Number of passes that strengthen vanishing pixels, and the gain on the missing amount. */
const [ROUNDS, GAIN] = [3, 1.8];
/** Steps of the field between black and white. Values are between -1 and 2, stored as bytes. */
const UNIT = 40;

/** Weights of the source pixels around each pixel of a result, along one side. */
interface Taps {
  /** First source pixel of each result pixel, plus `REACH` */
  from: Int32Array;
  weights: Float32Array;
}

/**
 * Enlarges a one-bit image with smooth edges: a blurred copy of it is thresholded at one half. Dots, thin lines and
 * dither that the blur would remove are strengthened first. The centre of each source pixel then keeps its colour.
 * @param picture one channel of 0 and 255
 * @returns the image at the given size, pixels
 */
export function enlargeBilevel(picture: Picture, width: number, height: number): Picture {
  const field = strengthened(picture);
  const data = new Uint8Array(width * height);
  blurred(field, picture, { width, height }, (row, y) => {
    const at = y * width;
    for (let x = 0; x < width; x += 1) data[at + x] = row[x]! >= UNIT / 2 ? 255 : 0;
  });
  return { ...picture, data, width, height };
}

function strengthened(picture: Picture): Int8Array {
  const { data, width, height } = picture;
  const field = Int8Array.from(data, (sample) => (sample === 0 ? 0 : UNIT));
  const next = field.slice();
  for (let round = 0; round < ROUNDS; round += 1) {
    let changed = false;
    blurred(field, picture, picture, (row, y) => {
      for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
        const isLight = data[at] !== 0;
        const lack = (isLight ? UNIT / 2 - row[x]! : row[x]! - UNIT / 2) + MARGIN * UNIT;
        if (lack <= 0) continue;
        changed = true;
        next[at] = Math.max(-UNIT, Math.min(2 * UNIT, field[at]! + (isLight ? 1 : -1) * Math.round(lack * GAIN)));
      }
    });
    if (!changed) break;
    field.set(next.subarray(0, width * height));
  }
  return field;
}

/** Blurs a field at another size and passes each row to `put`. */
function blurred(
  field: Int8Array,
  { width, height }: { width: number; height: number },
  size: { width: number; height: number },
  put: (row: Float32Array, y: number) => void,
): void {
  const [across, down] = [createTaps(width, size.width), createTaps(height, size.height)];
  const column = new Float32Array(width + 2 * REACH);
  const row = new Float32Array(size.width);
  for (let y = 0; y < size.height; y += 1) {
    column.fill(0);
    for (let tap = 0; tap < TAPS; tap += 1) {
      const weight = down.weights[y * TAPS + tap]!;
      const from = Math.max(0, Math.min(height - 1, down.from[y]! + tap - REACH)) * width;
      for (let x = 0; x < width; x += 1) column[x + REACH]! += weight * field[from + x]!;
    }
    column.fill(column[REACH]!, 0, REACH);
    column.fill(column[width + REACH - 1]!, width + REACH);
    for (let x = 0, at = 0; x < size.width; x += 1) {
      const from = across.from[x]!;
      let sum = 0;
      for (let tap = 0; tap < TAPS; tap += 1, at += 1) sum += across.weights[at]! * column[from + tap]!;
      row[x] = sum;
    }
    put(row, y);
  }
}

/** The weight of each source pixel is the integral of the Gaussian over its extent. */
function createTaps(source: number, size: number): Taps {
  const from = new Int32Array(size);
  const weights = new Float32Array(size * TAPS);
  for (let i = 0; i < size; i += 1) {
    const middle = ((i + 0.5) * source) / size - 0.5;
    const nearest = Math.max(0, Math.min(source - 1, Math.round(middle)));
    from[i] = nearest;
    const extents = Array.from({ length: TAPS }, (_, tap) => {
      const distance = nearest + tap - REACH - middle;
      return gaussianUpTo(distance + 0.5) - gaussianUpTo(distance - 0.5);
    });
    const sum = extents.reduce((all, each) => all + each, 0);
    extents.forEach((each, tap) => (weights[i * TAPS + tap] = each / sum));
  }
  return { from, weights };
}

/** Returns the share of the Gaussian below a distance, pixels (Abramowitz and Stegun, formula 7.1.25). */
function gaussianUpTo(distance: number): number {
  const x = Math.abs(distance) / (SIGMA * Math.SQRT2);
  const t = 1 / (1 + 0.47047 * x);
  const tail = t * (0.3480242 - t * (0.0958798 - t * 0.7478556)) * Math.exp(-x * x);
  return distance < 0 ? tail / 2 : 1 - tail / 2;
}
