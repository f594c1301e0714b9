import { boxMean } from '../filters/box-filter.ts';
import { lumaOf } from '../luma.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { ramp, smoothStep } from '../ramps.ts';
import { lineWidth, type PagePlanes } from './page-planes.ts';
import { paperRows, type PaperSurface } from './paper-surface.ts';

/** Pixels by which a block is wider than a line: JPEG stores colours at half the size and spreads them. */
const WIDER = 2;
/** Blocks on each side whose ink has one tint, and those that show whether a stroke is thin. */
const REACH = { tint: 1, thin: 2 } as const;
/** Direction of age in red and blue: ink becomes brown with it, and so does black under warm light. */
const AGED = [0.5, -0.866] as const;
/** Tints of aged ink: what each page may have, the multiple of its usual ink's, and the width of their sector. */
const AGE = { least: 0.15, times: 1.6, most: 0.25, width: 0.35 } as const;
/** Tint from which ink is coloured, what noise adds to it for each unit of depth, and the further tint to certainty. */
const COLOURED = { from: 0.045, noise: 0.012, ramp: 0.05 } as const;
/** Least depth of a pixel that is not paper, and least depth of ink around a pixel. */
const LEAST_DEPTH = { pixel: 0.02, mean: 0.1 } as const;
/** Depths between which a pixel has its own colour, and the shares of the tint around it from which it is of the same ink. */
const OWN = { depth: [0.25, 0.4], share: [0.2, 0.5] } as const;
/** Depth between which the edge of a coloured stroke begins. */
const EDGE = [0.02, 0.07] as const;
/** Tints of ink that shows little and all of its colour, and the luma to which vivid ink becomes darker at most. */
const VIVID = { tint: [0.05, 0.16], luma: 0.45 } as const;
/** Share of paper around a pixel from which it may be and certainly is part of a thin stroke, and the depth of paper. */
const THIN = { share: [0.5, 0.65], depth: 0.12 } as const;

/** The colours of the ink of a page. */
export interface InkTints {
  /** How sure a pixel belongs to coloured ink, 0 to 1. @param rgb shares of the paper's light */
  certaintyAt(x: number, y: number, rgb: ArrayLike<number>): number;
  /**
   * The part of its light that a pixel of coloured ink keeps. A thin stroke and ink of little colour become as dark as neutral ink of
   * their luma, but dark colours stay: below some luma they look black.
   * @param luma share of the paper's light @param dark lightness of neutral ink of this luma
   */
  lightKept(x: number, y: number, luma: number, dark: number): number;
}

/**
 * Finds coloured ink by its tint: the colour for each unit of depth, in the mean of the ink around a place. Pale and dark strokes of
 * one ink have the same tint, and black ones have none. The fringes of a lens and of a scanner cancel out in the mean.
 * @returns undefined for a page without coloured ink
 */
export function measureInkTints(picture: Picture, surface: PaperSurface, { luma }: PagePlanes): InkTints | undefined {
  if (colourChannels(picture) === 1) return undefined;
  const { width, height, data, channels } = picture;
  const block = lineWidth(picture) + WIDER;
  const [across, down] = [Math.ceil(width / block), Math.ceil(height / block)];
  const plane = (): Float32Array => new Float32Array(across * down);
  const [reds, blues, squares, depths, strokes] = [plane(), plane(), plane(), plane(), plane()];
  const paperAt = paperRows(surface, width);
  const scale = 255 / maxSample(picture);
  for (let y = 0; y < height; y += 1) {
    const [redPaper, , bluePaper] = paperAt(y) as [Float32Array, Float32Array, Float32Array];
    const row = Math.floor(y / block) * across;
    for (let x = 0, from = y * width; x < width; x += 1, from += 1) {
      const depth = 1 - luma[from]! / 255;
      // Most of a page is paper.
      if (depth < LEAST_DEPTH.pixel) continue;
      const red = (data[from * channels]! * scale) / redPaper[x]! - 1 + depth;
      const blue = (data[from * channels + 2]! * scale) / bluePaper[x]! - 1 + depth;
      const at = row + Math.floor(x / block);
      if (depth >= THIN.depth) strokes[at]! += 1 / block / block;
      reds[at]! += depth * red;
      blues[at]! += depth * blue;
      squares[at]! += depth * depth;
      depths[at]! += depth;
    }
  }
  const around = (of: Float32Array, reach: number): Float32Array => boxMean(of, across, down, reach, reach);
  const [red, blue, square, depth] = [reds, blues, squares, depths].map((of) => around(of, REACH.tint)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const stroke = around(strokes, REACH.thin);
  for (let at = 0; at < square.length; at += 1) {
    red[at]! /= Math.max(square[at]!, 1e-6);
    blue[at]! /= Math.max(square[at]!, 1e-6);
    depth[at] = square[at]! / Math.max(depth[at]!, 1e-6);
  }
  const allowed = agedTint({ red, blue, depth, square });
  const tints = red.map((value, at) => distanceFromAged(value, blue[at]!, allowed));
  const certainty = depth.map((deep, at) =>
    deep < LEAST_DEPTH.mean ? 0 : smoothStep((tints[at]! - COLOURED.from - COLOURED.noise / deep) / COLOURED.ramp),
  );
  if (!certainty.some((value) => value > 0)) return undefined;
  const placeOf = (x: number, y: number): number => Math.floor(y / block) * across + Math.floor(x / block);
  return {
    certaintyAt(x, y, rgb) {
      const at = placeOf(x, y);
      if (certainty[at] === 0) return 0;
      const luma = lumaOf(rgb[0]!, rgb[1]!, rgb[2]!);
      const deep = 1 - luma;
      const [r, b] = [red[at]!, blue[at]!];
      const share = ((rgb[0]! - luma) * r + (rgb[2]! - luma) * b) / Math.max(deep * (r * r + b * b), 1e-6);
      const other = ramp(deep, OWN.depth) * (1 - ramp(share, OWN.share));
      return certainty[at]! * ramp(deep, EDGE) * (1 - other);
    },
    lightKept(x, y, luma, dark) {
      const at = placeOf(x, y);
      const vivid = ramp(tints[at]!, VIVID.tint);
      const part = Math.max(ramp(1 - stroke[at]!, THIN.share), 1 - vivid);
      const darkened = Math.max(dark, Math.min(luma, VIVID.luma * vivid));
      return 1 - part * (1 - Math.min(1, darkened / Math.max(luma, 1e-6)));
    },
  };
}

/** The largest tint of aged ink on a page, by the median over its ink. */
function agedTint({ red, blue, depth, square }: Record<'red' | 'blue' | 'depth' | 'square', Float32Array>): number {
  const inked = [...depth.keys()].filter((at) => depth[at]! >= 2 * LEAST_DEPTH.mean && square[at]! > 0);
  const tints = Float32Array.from(inked, (at) => red[at]! * AGED[0] + blue[at]! * AGED[1]).sort();
  const usual = tints.length === 0 ? 0 : tints[tints.length >> 1]!;
  return Math.min(AGE.most, AGE.least + AGE.times * Math.max(0, usual));
}

/** Distance of a tint from those of black and aged ink. */
function distanceFromAged(red: number, blue: number, allowed: number): number {
  const aged = Math.max(0, red * AGED[0] + blue * AGED[1]);
  const beside = Math.hypot(red - aged * AGED[0], blue - aged * AGED[1]);
  return Math.hypot(Math.max(0, beside - AGE.width * Math.min(aged, allowed)), Math.max(0, aged - allowed));
}
