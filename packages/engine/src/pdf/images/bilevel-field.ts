import type { Picture } from '../../image/picture.ts';
import { BILEVEL_FIT } from './bilevel-weights.ts';

/** Parts of a source pixel along each side whose ink is predicted. */
export const PARTS = 4;
/** Pixels around one where ink on opposite sides makes it a gap that may close. */
const NEAR = 2;
const SQUARE = 2 * NEAR + 1;

const { reach: REACH, hidden } = BILEVEL_FIT;
const [FIRST, SECOND] = hidden;
const WINDOW = 2 * REACH + 1;
const OUTPUTS = PARTS * PARTS;
/** A row of the window is looked up in two parts. */
const [HIGH, LOW] = [Math.ceil(WINDOW / 2), Math.floor(WINDOW / 2)];
const PATTERNS = 2 ** HIGH + 2 ** LOW;

interface Layers {
  /** Sums of the weights of the first layer for each row of the window and each pattern of its bits */
  sums: Float32Array;
  first: Float32Array;
  second: Float32Array;
  secondBias: Float32Array;
  third: Float32Array;
  thirdBias: Float32Array;
}

let layers: Layers | undefined;

/**
 * Predicts the coverage by ink of each pixel's 4 × 4 parts, from the ink around it. A small network does it, which was
 * fitted to rendered text by `tools/bilevel/fit.py`.
 */
export class BilevelField {
  readonly #layers = (layers ??= readLayers());
  readonly #ink: number;
  readonly #windows: Int32Array[];
  readonly #windowRows = new Int32Array(WINDOW).fill(-1);
  readonly #first = new Float32Array(FIRST);
  readonly #second = new Float32Array(SECOND);

  /** @param picture one channel of 0 and 255; the rarer value is ink */
  constructor(readonly picture: Picture) {
    this.#ink = rarerValue(picture);
    this.#windows = Array.from({ length: WINDOW }, () => new Int32Array(picture.width));
  }

  /** The value of ink in the picture, 0 or 255 */
  get ink(): number {
    return this.#ink;
  }

  /**
   * Predicts one row of the source. @param coverage of 255, in four rows that are four times as wide; written
   */
  predictRow(y: number, coverage: Uint8Array): void {
    const { width, height } = this.picture;
    const rows = Array.from({ length: WINDOW }, (_, k) =>
      this.#windowsOf(Math.max(0, Math.min(height - 1, y + k - REACH))),
    );
    const square = new Int32Array(SQUARE);
    for (let x = 0; x < width; x += 1) {
      for (let k = 0; k < SQUARE; k += 1)
        square[k] = (rows[REACH - NEAR + k]![x]! >> (REACH - NEAR)) & (2 ** SQUARE - 1);
      if (mayDiffer(square)) this.#predict(rows, x, coverage);
      else fillParts(coverage, x, width, square[NEAR]! & (1 << NEAR) ? 255 : 0);
    }
  }

  #predict(rows: readonly Int32Array[], x: number, coverage: Uint8Array): void {
    const { sums, first, second, secondBias, third, thirdBias } = this.#layers;
    const [one, two] = [this.#first, this.#second];
    one.set(first);
    for (let k = 0; k < WINDOW; k += 1) {
      const bits = rows[k]![x]!;
      const high = (k * PATTERNS + (bits >> LOW)) * FIRST;
      const low = (k * PATTERNS + 2 ** HIGH + (bits & (2 ** LOW - 1))) * FIRST;
      for (let i = 0; i < FIRST; i += 1) one[i]! += sums[high + i]! + sums[low + i]!;
    }
    two.set(secondBias);
    for (let i = 0; i < FIRST; i += 1) {
      const value = one[i]!;
      if (value <= 0) continue;
      const from = i * SECOND;
      for (let j = 0; j < SECOND; j += 1) two[j]! += value * second[from + j]!;
    }
    const row = this.picture.width * PARTS;
    const isInk = ((rows[REACH]![x]! >> REACH) & 1) === 1;
    for (let part = 0; part < OUTPUTS; part += 1) {
      let logit = thirdBias[part]!;
      for (let j = 0; j < SECOND; j += 1) if (two[j]! > 0) logit += two[j]! * third[part * SECOND + j]!;
      const [i, k] = [part % PARTS, part >> 2];
      const isMiddle = i > 0 && i < PARTS - 1 && k > 0 && k < PARTS - 1;
      const predicted = Math.round(255 / (1 + Math.exp(-logit)));
      coverage[k * row + x * PARTS + i] = isInk && isMiddle ? 255 : predicted;
    }
  }

  /** Bits of the window around each pixel of a row, 1 for ink; the edge of the picture continues outwards. */
  #windowsOf(y: number): Int32Array {
    const windows = this.#windows[y % WINDOW]!;
    if (this.#windowRows[y % WINDOW] === y) return windows;
    this.#windowRows[y % WINDOW] = y;
    const { data, width } = this.picture;
    const bit = (x: number): number => (data[y * width + Math.max(0, Math.min(width - 1, x))] === this.#ink ? 1 : 0);
    let bits = 0;
    for (let x = -REACH; x < REACH; x += 1) bits = (bits << 1) | bit(x);
    for (let x = 0; x < width; x += 1) {
      bits = ((bits << 1) | bit(x + REACH)) & (2 ** WINDOW - 1);
      windows[x] = bits;
    }
    return windows;
  }
}

/**
 * Whether the parts of a pixel may differ from it: its neighbours do, or it is a gap between ink.
 * @param square bits of the 5 × 5 pixels around it
 */
function mayDiffer(square: Int32Array): boolean {
  const [top, above, here, below, bottom] = square as unknown as [number, number, number, number, number];
  const beside = 0b01110;
  const near = (above & beside) | (here & beside) | (below & beside);
  if (near !== 0) return (above & here & below & beside) !== beside;
  const all = top | above | here | below | bottom;
  return (top !== 0 && bottom !== 0) || ((all & 0b10000) !== 0 && (all & 1) !== 0);
}

function fillParts(coverage: Uint8Array, x: number, width: number, value: number): void {
  for (let k = 0; k < PARTS; k += 1) coverage.fill(value, (k * width + x) * PARTS, (k * width + x + 1) * PARTS);
}

export function rarerValue({ data }: Picture): number {
  let light = 0;
  for (let i = 0; i < data.length; i += 1) if (data[i] !== 0) light += 1;
  return light * 2 > data.length ? 0 : 255;
}

/** Reads the weights of three layers, each as signed bytes with a scale, and its biases as floats. */
function readLayers(): Layers {
  const bytes = Buffer.from(BILEVEL_FIT.weights, 'base64');
  let at = 0;
  const floats = (count: number): Float32Array => {
    const values = Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(at + 4 * i));
    at += 4 * count;
    return values;
  };
  const matrix = (count: number): Float32Array => {
    const [scale] = floats(1);
    const values = Float32Array.from({ length: count }, (_, i) => scale! * bytes.readInt8(at + i));
    at += count;
    return values;
  };
  const weights = matrix(WINDOW * WINDOW * FIRST);
  const first = floats(FIRST);
  const second = matrix(FIRST * SECOND);
  const secondBias = floats(SECOND);
  const third = matrix(OUTPUTS * SECOND);
  return { sums: sumPatterns(weights), first, second, secondBias, third, thirdBias: floats(OUTPUTS) };
}

function sumPatterns(weights: Float32Array): Float32Array {
  const sums = new Float32Array(WINDOW * PATTERNS * FIRST);
  for (let k = 0; k < WINDOW; k += 1)
    for (const [bits, from, column] of [
      [HIGH, 0, HIGH - 1],
      [LOW, 2 ** HIGH, WINDOW - 1],
    ] as const) {
      for (let pattern = 1; pattern < 2 ** bits; pattern += 1) {
        const lowest = 31 - Math.clz32(pattern & -pattern);
        const [to, rest] = [from + pattern, from + (pattern & (pattern - 1))].map((at) => (k * PATTERNS + at) * FIRST);
        const weight = (k * WINDOW + column - lowest) * FIRST;
        for (let i = 0; i < FIRST; i += 1) sums[to! + i] = sums[rest! + i]! + weights[weight + i]!;
      }
    }
  return sums;
}
