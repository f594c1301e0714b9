import { PAPER_BLOCK, paperOfBlocks } from '../document/block-paper.ts';
import { findComponents } from '../document/marks.ts';
import { lumaAt } from '../luma.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';

/** Samples along a side of a window. */
export const WINDOW_SIDE = 20;
/** Longer side of the page on which letters are sought, pixels: about 150 DPI for a letter-size page. */
const LONGER_SIDE = 2000;
/**
 * Sides of a letter on that page, pixels, how much longer one side may be, and the number that is looked at. Bars of charts and
 * codes look like letters on one side, but are longer.
 */
const LETTER = { least: 7, most: 90, thin: 2, stretch: 1.8, count: 600 } as const;
/** Side of a window, relative to the longer one of its letter: neighbours show the line. */
const AROUND = 2;
/** Share of the light of the paper below which a pixel is ink, and from which on it is more or less so. */
const INK = 0.75;
const SHADE = { from: 0.92, to: 0.4 } as const;

/** Windows of a page, each around a letter: levels of ink, 0 to 255, by rows. */
export interface LetterWindows {
  count: number;
  samples: Uint8Array;
}

/**
 * Cuts windows around the letters of a page, evenly from all its parts. The picture is in shades of light.
 * @param most their number
 */
export function letterWindows(picture: Picture, most: number = LETTER.count): LetterWindows {
  const page = reducedLuma(picture);
  const { luma, width, height } = page;
  const paper = paperOfBlocks(luma, page);
  const across = Math.ceil(width / PAPER_BLOCK);
  const paperAt = (x: number, y: number): number =>
    paper[Math.floor(y / PAPER_BLOCK) * across + Math.floor(x / PAPER_BLOCK)]!;
  const marks = findComponents(width, height, (at) => luma[at]! < INK * paperAt(at % width, Math.floor(at / width)));
  const letters: number[] = [];
  for (let k = 0; k < marks.count; k += 1) {
    const [long, short] = [Math.max(marks.width[k]!, marks.height[k]!), Math.min(marks.width[k]!, marks.height[k]!)];
    if (long < LETTER.least || long > LETTER.most || short < LETTER.thin || long > LETTER.stretch * short) continue;
    letters.push(k);
  }
  const count = Math.min(most, letters.length);
  const samples = new Uint8Array(count * WINDOW_SIDE ** 2);
  const inkAt = (x: number, y: number): number => {
    if (x < 0 || y < 0 || x >= width || y >= height) return 0;
    const share = luma[y * width + x]! / Math.max(1, paperAt(x, y));
    return Math.min(1, Math.max(0, (SHADE.from - share) / (SHADE.from - SHADE.to)));
  };
  for (let each = 0; each < count; each += 1) {
    const k = letters[Math.floor((each * letters.length) / count)]!;
    const side = AROUND * Math.max(marks.width[k]!, marks.height[k]!);
    const left = marks.left[k]! + (marks.width[k]! - side) / 2;
    const top = marks.top[k]! + (marks.height[k]! - side) / 2;
    cutWindow(inkAt, { left, top, side }, samples.subarray(each * WINDOW_SIDE ** 2, (each + 1) * WINDOW_SIDE ** 2));
  }
  return { count, samples };
}

/** Means of the ink in the cells of a window, each at 1 to 5 points a side. */
function cutWindow(
  inkAt: (x: number, y: number) => number,
  { left, top, side }: { left: number; top: number; side: number },
  into: Uint8Array,
): void {
  const cell = side / WINDOW_SIDE;
  const points = Math.min(5, Math.max(2, Math.ceil(cell)));
  for (let row = 0, to = 0; row < WINDOW_SIDE; row += 1) {
    for (let column = 0; column < WINDOW_SIDE; column += 1, to += 1) {
      let sum = 0;
      for (let j = 0; j < points; j += 1) {
        const y = Math.floor(top + (row + (j + 0.5) / points) * cell);
        for (let i = 0; i < points; i += 1) sum += inkAt(Math.floor(left + (column + (i + 0.5) / points) * cell), y);
      }
      into[to] = Math.round((255 * sum) / points ** 2);
    }
  }
}

/** The luma of a page, 0 to 255, whose longer side is about `LONGER_SIDE`: means of squares of pixels. */
function reducedLuma(picture: Picture): { luma: Uint8Array; width: number; height: number } {
  const { data, channels } = picture;
  const colours = colourChannels(picture);
  const step = Math.max(1, Math.round(Math.max(picture.width, picture.height) / LONGER_SIDE));
  const [width, height] = [Math.floor(picture.width / step), Math.floor(picture.height / step)];
  const luma = new Uint8Array(width * height);
  const scale = 255 / (maxSample(picture) * step * step);
  const row = new Float64Array(width);
  for (let y = 0; y < height; y += 1) {
    row.fill(0);
    for (let j = 0; j < step; j += 1) {
      let at = (y * step + j) * picture.width * channels;
      for (let x = 0; x < width; x += 1)
        for (let i = 0; i < step; i += 1, at += channels) row[x]! += lumaAt(data, at, colours);
    }
    for (let x = 0; x < width; x += 1) luma[y * width + x] = Math.round(row[x]! * scale);
  }
  return { luma, width, height };
}
