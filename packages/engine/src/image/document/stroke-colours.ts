import { smoothStep } from '../ramps.ts';
import { maxSample, type Picture } from '../picture.ts';
import { paperRows, type PaperSurface } from './paper-surface.ts';
import { lumaOf } from '../luma.ts';

/** Reach of the coding of colours, pixels: JPEG mostly stores them at half the size. */
const REACH = 4;
/** Ink without colour is at least as dark as this, as a share of the paper's light, and less saturated than this. */
const NEUTRAL = { dark: 0.35, saturation: 0.15 } as const;
/** Paper is less dark than this. The shares of paper around a pixel from which it may be and certainly is part of a thin stroke. */
const PAPER = { dark: 0.15, from: 0.25, to: 0.4 } as const;
/** Agreement of the colours around a pixel, 0 to 1, from which they begin to count as one and certainly do. */
const AGREEMENT = { from: 0.85, to: 0.95 } as const;
/** Weight of a pixel's own colour beside those around it. */
const OWN = 0.3;

/** Sums around a pixel: red and blue beyond luma, darkness, the same colours without paper, their lengths, and the paper. */
const PLANES = 7;

export interface StrokeColours {
  /** Moves to the next row; rows begin at 0. Rows below must still have their samples. */
  moveTo(y: number): void;
  /**
   * Gives a pixel of the row the colour of its stroke, as far as there is one colour around it.
   * @param rgb shares of the paper's light, changed in place
   */
  restore(x: number, rgb: Float32Array): void;
}

/**
 * Restores the colours of thin strokes on paper. JPEG keeps how dark they are and spreads their colours over the paper
 * beside them. So a pixel gets the colours around it in proportion to its darkness.
 */
export function createStrokeColours(picture: Picture, surface: PaperSurface): StrokeColours {
  const { width, height, data, channels } = picture;
  const paperAt = paperRows(surface, width);
  const scale = 255 / maxSample(picture);
  const rows = Array.from({ length: 2 * REACH + 1 }, () => new Float32Array(width * PLANES));
  const columns = new Float64Array(width * PLANES);
  const sums = new Float64Array(PLANES);

  function read(y: number, into: Float32Array): void {
    const paper = paperAt(y);
    for (let x = 0, at = 0, from = y * width * channels; x < width; x += 1, at += PLANES, from += channels) {
      const red = (data[from]! * scale) / paper[0]![x]!;
      const green = (data[from + 1]! * scale) / paper[1]![x]!;
      const blue = (data[from + 2]! * scale) / paper[2]![x]!;
      const luma = lumaOf(red, green, blue);
      const high = Math.max(red, green, blue);
      const saturation = (high - Math.min(red, green, blue)) / Math.max(high, 0.2);
      if (1 - luma > NEUTRAL.dark && saturation < NEUTRAL.saturation) continue;
      into[at] = red - luma;
      into[at + 1] = blue - luma;
      into[at + 2] = 1 - luma;
      if (1 - luma < PAPER.dark) {
        into[at + 6] = 1;
        continue;
      }
      into[at + 3] = red - luma;
      into[at + 4] = blue - luma;
      into[at + 5] = Math.hypot(red - luma, blue - luma);
    }
  }

  function add(y: number): void {
    const row = rows[y % rows.length]!;
    for (let at = 0; at < row.length; at += 1) columns[at]! -= row[at]!;
    row.fill(0);
    if (y >= height) return;
    read(y, row);
    for (let at = 0; at < row.length; at += 1) columns[at]! += row[at]!;
  }

  return {
    moveTo(y) {
      for (let next = y === 0 ? 0 : y + REACH; next <= y + REACH; next += 1) add(next);
    },
    restore(x, rgb) {
      sums.fill(0);
      const [left, right] = [Math.max(0, x - REACH), Math.min(width - 1, x + REACH)];
      for (let at = left * PLANES; at < (right + 1) * PLANES; at += PLANES)
        for (let k = 0; k < PLANES; k += 1) sums[k]! += columns[at + k]!;
      const [red, blue, dark, inkRed, inkBlue, lengths, blank] = sums as unknown as number[];
      const share = blank! / rows.length / (right - left + 1);
      const agreement = Math.hypot(inkRed!, inkBlue!) / Math.max(lengths!, 1e-6);
      const certainty =
        smoothStep((share - PAPER.from) / (PAPER.to - PAPER.from)) *
        smoothStep((agreement - AGREEMENT.from) / (AGREEMENT.to - AGREEMENT.from));
      if (certainty === 0) return;
      const luma = lumaOf(rgb[0]!, rgb[1]!, rgb[2]!);
      const own = 1 - luma;
      const times = own / Math.max(dark! + OWN * own, 0.05);
      const newRed = times * (red! + OWN * (rgb[0]! - luma));
      const newBlue = times * (blue! + OWN * (rgb[2]! - luma));
      const newGreen = -(0.299 * newRed + 0.114 * newBlue) / 0.587;
      for (const [c, value] of [newRed, newGreen, newBlue].entries())
        rgb[c] = Math.min(1, Math.max(0, rgb[c]! + certainty * (luma + value - rgb[c]!)));
    },
  };
}
