import { colourChannels, maxSample, type Picture } from '../picture.ts';
import { paperRows, type PaperSurface } from './paper-surface.ts';
import { lumaOf } from '../luma.ts';

/** Pixels that are lighter than this give the colour of a ground, and coloured ones with a small weight: brownish letters stand on paper. */
const GROUND = { light: 0.8, chroma: 0.1, dark: 0.02 } as const;

/** Means of the divided page on a grid of square blocks of a few pixels. */
export interface TintGrid {
  /** Pixels a side of a block */
  block: number;
  across: number;
  down: number;
  /** Red and blue minus luma, as shares of the paper's light, times the weight of the block */
  red: Float32Array;
  blue: Float32Array;
  /** Share of the pixels that tell the colour of the ground */
  weight: Float32Array;
  /** Luma of all pixels, 1 for paper */
  luma: Float32Array;
  /** Colour of all pixels: the distance of red and blue from luma */
  chroma: Float32Array;
}

/** Thin lines a side of a block, and between two pixels that are looked at. */
const [LINES, STEP] = [4, 2];

/** Measures the luma and the colours of a page on a grid, from four pixels a block. @param line width of a thin line, pixels */
export function measureTints(picture: Picture, surface: PaperSurface, line: number): TintGrid {
  const { width, height, data, channels } = picture;
  const [block, step] = [LINES * line, STEP * line];
  const [across, down] = [Math.ceil(width / block), Math.ceil(height / block)];
  const plane = (): Float32Array => new Float32Array(across * down);
  const [red, blue, weight, luma, allRed, allBlue] = [plane(), plane(), plane(), plane(), plane(), plane()];
  const colours = colourChannels(picture);
  const paperAt = paperRows(surface, width);
  const pixels = new Uint16Array(across);
  const scale = 255 / maxSample(picture);
  const middle = step >> 1;
  for (let j = 0; j < down; j += 1) {
    pixels.fill(0);
    for (let y = j * block + middle; y < Math.min(height, (j + 1) * block); y += step) {
      const paper = paperAt(y);
      const [redPaper, greenPaper, bluePaper] = [paper[0]!, paper[colours >> 1]!, paper[colours - 1]!];
      for (let x = middle; x < width; x += step) {
        const from = (y * width + x) * channels;
        const one = (data[from]! * scale) / redPaper[x]!;
        const two = (data[from + (colours >> 1)]! * scale) / greenPaper[x]!;
        const three = (data[from + colours - 1]! * scale) / bluePaper[x]!;
        const light = lumaOf(one, two, three);
        const i = Math.floor(x / block);
        const at = j * across + i;
        luma[at]! += light;
        pixels[i]! += 1;
        const isLight = light >= GROUND.light;
        allRed[at]! += one - light;
        allBlue[at]! += three - light;
        if (!isLight && Math.max(one, two, three) - Math.min(one, two, three) < GROUND.chroma) continue;
        const counts = isLight ? 1 : GROUND.dark;
        red[at]! += counts * (one - light);
        blue[at]! += counts * (three - light);
        weight[at]! += counts;
      }
    }
    for (let i = 0, at = j * across; i < across; i += 1, at += 1)
      for (const each of [luma, red, blue, weight, allRed, allBlue]) each[at]! /= Math.max(1, pixels[i]!);
  }
  const chroma = allRed.map((value, at) => Math.hypot(value, allBlue[at]!));
  return { block, across, down, red, blue, weight, luma, chroma };
}
