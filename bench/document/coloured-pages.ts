import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { lumaOf } from '../../packages/engine/src/image/luma.ts';
import { linearLight } from '../../packages/engine/src/image/steps/curves.ts';
import { labOf, type Rgb } from '../quality/metrics.ts';

/** Least chroma of a coloured pixel, and largest change of a and b of CIE L*a*b* that keeps its colour. */
const COLOURED = { chroma: 10, change: 6 } as const;
/** A result is grey below this chroma, and white from this level of each channel on. */
const LOST = { chroma: 5, white: 250 } as const;
/** Paper differs from the colour of the paper by less than this, levels of 255. */
const PAPER = 12;

/** A page with pictures, maps or coloured grounds. */
export interface ColouredPage {
  name: string;
  given: Rgb;
  /** What the page shows under white light on white paper, coded as the given one: JPEG stores its colours at half the size */
  reference: Rgb;
}

/** Light over a page: shares of red, green and blue at a place, 0 to 1 across and down. */
const LIGHTS: ((u: number, v: number) => readonly [number, number, number])[] = [
  (u, v) => scaled(0.94 - 0.3 * u - 0.1 * v, [1, 0.95, 0.84]),
  (u, v) => scaled(0.9 - 0.35 / (1 + Math.exp((u - 0.4 + 0.1 * Math.sin(5 * v)) / 0.03)), [0.95, 0.98, 1]),
  (u, v) => [0.96 - 0.12 * v, 0.93 - 0.16 * v, 0.86 - 0.1 * v - 0.06 * u],
];

const scaled = (light: number, [red, green, blue]: readonly [number, number, number]) =>
  [light * red, light * green, light * blue] as const;

/**
 * Reads the pages of a folder. `papers.json` in it has the colours of papers by the names of files; others are white. Pages get one
 * of three lights, and photographs, whose names begin with `photo-`, keep theirs.
 */
export async function* readColouredPages(folder: string): AsyncGenerator<ColouredPage> {
  const names = readdirSync(folder).sort();
  const papers = names.includes('papers.json')
    ? (JSON.parse(readFileSync(join(folder, 'papers.json'), 'utf8')) as Record<string, [number, number, number]>)
    : {};
  for (const [k, name] of names.filter((each) => /\.(jpe?g|png)$/u.test(each)).entries()) {
    const { data, info } = await sharp(join(folder, name))
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const page: Rgb = { data: new Uint8Array(data), width: info.width, height: info.height };
    const paper = papers[name] ?? [255, 255, 255];
    const white = mapped(page, (level, c, at) => (255 * level) / paper[c]! / Math.max(1, lightest(page, at, paper)));
    const reference = await photographed(white, () => [1, 1, 1]);
    const light = LIGHTS[k % LIGHTS.length]!;
    yield { name, given: name.startsWith('photo-') ? page : await photographed(page, light), reference };
  }
}

/** Lights a page and codes it as the camera of a phone does. */
async function photographed(page: Rgb, light: (typeof LIGHTS)[number]): Promise<Rgb> {
  const { width, height } = page;
  const lit = mapped(page, (level, c, at) => level * light((at % width) / width, Math.floor(at / width) / height)[c]!);
  const file = await sharp(lit.data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
  const data = await sharp(file).raw().toBuffer();
  return { data: new Uint8Array(data), width, height };
}

/** The largest channel of a pixel as a multiple of the paper's. What is lighter than its paper keeps its hue as a whole. */
function lightest({ data }: Rgb, at: number, paper: readonly number[]): number {
  return Math.max(...paper.map((level, c) => data[3 * at + c]! / level));
}

function mapped(page: Rgb, level: (given: number, channel: number, at: number) => number): Rgb {
  const data = Uint8Array.from(page.data, (given, k) => Math.round(level(given, k % 3, Math.floor(k / 3))));
  return { ...page, data };
}

export interface KeptColours {
  /** Share of the page that is coloured, and the shares of it that keep their colour, become grey and become white */
  coloured: number;
  kept: number;
  grey: number;
  white: number;
  /** Share of the paper that is white */
  whitePaper: number;
}

/** Compares the colours of a result with those of the page, at the same luma: the light over a page changes, and its colours stay. */
export function keptColours(reference: Rgb, result: Rgb): KeptColours {
  const { width, height } = reference;
  const counts = { pixels: 0, coloured: 0, kept: 0, grey: 0, white: 0, paper: 0, whitePaper: 0 };
  for (let y = 1; y < height - 1; y += 2) {
    for (let x = 1; x < width - 1; x += 2) {
      counts.pixels += 1;
      const [before, after] = [meanAround(reference, x, y), meanAround(result, x, y)];
      const isWhite = Math.min(...after) >= LOST.white;
      if (Math.min(...before) >= 255 - PAPER) {
        counts.paper += 1;
        if (isWhite) counts.whitePaper += 1;
        continue;
      }
      if (chromaOf(before) < COLOURED.chroma) continue;
      counts.coloured += 1;
      const least = Math.min(lumaOf(...before), lumaOf(...after));
      const [one, other] = [atLuma(before, least), atLuma(after, least)];
      if (Math.hypot(one[1] - other[1], one[2] - other[2]) <= COLOURED.change) counts.kept += 1;
      else if (isWhite) counts.white += 1;
      else if (chromaOf(after) < LOST.chroma) counts.grey += 1;
    }
  }
  const { pixels, coloured, paper } = counts;
  const ofColoured = (count: number): number => (coloured === 0 ? Number.NaN : count / coloured);
  return {
    coloured: coloured / pixels,
    kept: ofColoured(counts.kept),
    grey: ofColoured(counts.grey),
    white: ofColoured(counts.white),
    whitePaper: paper === 0 ? Number.NaN : counts.whitePaper / paper,
  };
}

type Colour = readonly [number, number, number];

/** Mean of 3 × 3 pixels: a JPEG stores colours at half the size. */
function meanAround({ data, width }: Rgb, x: number, y: number): Colour {
  const sums: [number, number, number] = [0, 0, 0];
  for (let dy = -1; dy <= 1; dy += 1)
    for (let at = 3 * ((y + dy) * width + x - 1), k = 0; k < 9; k += 1, at += 1) sums[k % 3]! += data[at]!;
  return [sums[0] / 9, sums[1] / 9, sums[2] / 9];
}

const chromaOf = (colour: Colour): number => Math.hypot(...lab(colour).slice(1));

function atLuma(colour: Colour, luma: number): readonly [number, number, number] {
  const factor = luma / Math.max(1, lumaOf(...colour));
  return lab([colour[0] * factor, colour[1] * factor, colour[2] * factor]);
}

const lab = ([red, green, blue]: Colour): readonly [number, number, number] =>
  labOf(linearLight(red / 255), linearLight(green / 255), linearLight(blue / 255));
