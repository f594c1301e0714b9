import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { nextGaussian, randomNumbers } from '../../packages/engine/test/support/photograph.ts';
import type { Rgb } from '../quality/metrics.ts';

/** Width and height of a drawn page, inches. */
const PAGE = { width: 5, height: 3.4 } as const;
const FONTS = ['Liberation Serif', 'Liberation Sans', 'DejaVu Sans Mono'] as const;
const SIZES = [6, 8, 10, 12] as const;
const RESOLUTIONS = [100, 150, 200, 300] as const;
/** Colours of the stamp and the signature, sRGB. */
export const MARKS = { stamp: [200, 30, 40], signature: [30, 60, 170] } as const;

export const DAMAGES = ['nothing', 'shading', 'shadow', 'noise', 'bleed-through', 'skew', 'all'] as const;
type Damage = (typeof DAMAGES)[number];

export interface DrawnPage {
  name: string;
  damage: Damage;
  dpi: number;
  words: string[];
  clean: Rgb;
  /** The page as a scanner or a camera gives it, PNG or JPEG */
  file: Buffer;
}

export interface PageOrder {
  font: string;
  points: number;
  dpi: number;
  damage: Damage;
  seed: number;
}

/** All combinations of sizes, resolutions and damages, each in one font in turn. The text is the licence of the repository. */
export function pageOrders(): PageOrder[] {
  return DAMAGES.flatMap((damage) =>
    RESOLUTIONS.flatMap((dpi) => SIZES.map((points) => ({ damage, dpi, points }))),
  ).map((order, seed) => ({ ...order, seed, font: FONTS[seed % FONTS.length]! }));
}

export async function drawPage({ font, points, dpi, damage, seed }: PageOrder): Promise<DrawnPage> {
  const random = randomNumbers((seed + 1) * 2_654_435_761);
  const { lines, words } = layOut(font, points, Math.floor(random() * 500));
  const [width, height] = [Math.round(PAGE.width * dpi), Math.round(PAGE.height * dpi)];
  const clean = await rasterize(drawing(font, points, lines), width, height);
  const scanned = { ...clean, data: Float32Array.from(clean.data) };
  // The optics of a scanner, and black ink and white paper that are neither.
  blur(scanned, 0.45 + dpi / 600);
  if (damage === 'bleed-through' || damage === 'all') {
    const { lines: behind } = layOut(font, points + 2, 300);
    const back = await rasterize(drawing(font, points + 2, behind), width, height);
    const shown = { ...back, data: Float32Array.from(back.data) };
    blur(shown, 1 + dpi / 120);
    for (let y = 0, at = 0; y < height; y += 1) {
      for (let x = 0; x < width * 3; x += 1, at += 1) {
        const mirrored = (y * width + width - 1 - Math.floor(x / 3)) * 3 + (x % 3);
        scanned.data[at]! *= 1 - 0.25 * (1 - shown.data[mirrored]! / 255);
      }
    }
  }
  for (let at = 0; at < scanned.data.length; at += 1) scanned.data[at] = 30 + (scanned.data[at]! * 205) / 255;
  if (damage === 'skew' || damage === 'all') turn(scanned, (random() < 0.5 ? -1 : 1) * (0.6 + 4 * random()));
  const light = lightOf(damage, width, height, random);
  const tint = damage === 'nothing' || damage === 'noise' ? [1, 1, 1] : [1, 0.97, 0.9];
  const sigma = damage === 'noise' ? 14 : damage === 'all' ? 5 : 1.5;
  for (let at = 0; at < scanned.data.length; at += 1) {
    scanned.data[at] = scanned.data[at]! * light(Math.floor(at / 3)) * tint[at % 3]! + sigma * nextGaussian(random);
  }
  const pixels = sharp(Buffer.from(Uint8ClampedArray.from(scanned.data)), { raw: { width, height, channels: 3 } });
  const file = await (damage === 'all' ? pixels.jpeg({ quality: 75 }) : pixels.png())
    .withMetadata({ density: dpi })
    .toBuffer();
  return { name: `${damage}, ${font}, ${points} pt, ${dpi} DPI`, damage, dpi, words, clean, file };
}

/** Breaks the licence into lines of the page's width, from a word on. */
function layOut(font: string, points: number, from: number): { lines: string[]; words: string[] } {
  const source = readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8').match(/[A-Za-z][A-Za-z,.;']*/gu) ?? [];
  const wide = font.includes('Mono') ? 0.62 : 0.5;
  const letters = Math.floor(((PAGE.width - 0.8) * 72) / (points * wide));
  const count = Math.floor(((PAGE.height - 1.3) * 72) / (points * 1.35));
  const lines: string[] = [];
  let [line, at] = ['', from];
  while (lines.length < count) {
    const word = source[at % source.length]!;
    at += 1;
    if (line.length + word.length + 1 > letters) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return { lines, words: lines.join(' ').split(' ') };
}

/** An SVG in points: text, a rule, a stamp and a signature below it. */
function drawing(font: string, points: number, lines: readonly string[]): string {
  const [width, height] = [PAGE.width * 72, PAGE.height * 72];
  const text = lines.map((line, k) => `<text x="29" y="${30 + k * points * 1.35}">${line}</text>`).join('');
  const below = height - 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="WIDTH" height="HEIGHT">
    <rect width="100%" height="100%" fill="white"/>
    <g font-family="${font}" font-size="${points}" fill="black">${text}</g>
    <path d="M29 ${height - 62} H${width - 29}" stroke="black" stroke-width="0.8"/>
    <circle cx="70" cy="${below}" r="20" fill="none" stroke="rgb(${MARKS.stamp.join()})" stroke-width="3.5"/>
    <rect x="56" y="${below - 5}" width="28" height="10" fill="rgb(${MARKS.stamp.join()})"/>
    <path d="M200 ${below} c20 -40 30 30 45 -5 s20 25 40 -10 s10 30 45 0" fill="none"
      stroke="rgb(${MARKS.signature.join()})" stroke-width="2.6"/></svg>`;
}

async function rasterize(svg: string, width: number, height: number): Promise<Rgb> {
  const sized = svg.replace('WIDTH', String(width)).replace('HEIGHT', String(height));
  const data = await sharp(Buffer.from(sized)).removeAlpha().toColourspace('srgb').raw().toBuffer();
  return { data: Uint8Array.from(data), width, height };
}

interface Planes {
  data: Float32Array;
  width: number;
  height: number;
}

function blur({ data, width, height }: Planes, sigma: number): void {
  const reach = Math.ceil(2.5 * sigma);
  const kernel = Array.from({ length: 2 * reach + 1 }, (_, k) => Math.exp(-((k - reach) ** 2) / (2 * sigma * sigma)));
  const sum = kernel.reduce((a, b) => a + b, 0);
  for (const [step, length, lines, between] of [
    [3, width, height, width * 3],
    [width * 3, height, width, 3],
  ] as const) {
    const line = new Float32Array(length);
    for (let k = 0; k < lines; k += 1) {
      for (let c = 0; c < 3; c += 1) {
        const from = k * between + c;
        for (let i = 0; i < length; i += 1) line[i] = data[from + i * step]!;
        for (let i = 0; i < length; i += 1) {
          let value = 0;
          for (let t = -reach; t <= reach; t += 1)
            value += kernel[t + reach]! * line[Math.min(length - 1, Math.max(0, i + t))]!;
          data[from + i * step] = value / sum;
        }
      }
    }
  }
}

/** Turns a page about its centre, with blank paper around it. */
function turn({ data, width, height }: Planes, degrees: number): void {
  const source = data.slice();
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const u = (width - 1) / 2 + (x - (width - 1) / 2) * cos - (y - (height - 1) / 2) * sin;
      const v = (height - 1) / 2 + (x - (width - 1) / 2) * sin + (y - (height - 1) / 2) * cos;
      const [i, j] = [Math.floor(u), Math.floor(v)];
      for (let c = 0; c < 3; c += 1, to += 1) {
        const read = (a: number, b: number): number =>
          a < 0 || b < 0 || a >= width || b >= height ? 235 : source[(b * width + a) * 3 + c]!;
        const [p, q] = [u - i, v - j];
        data[to] =
          (read(i, j) * (1 - p) + read(i + 1, j) * p) * (1 - q) +
          (read(i, j + 1) * (1 - p) + read(i + 1, j + 1) * p) * q;
      }
    }
  }
}

/** Light on the page, by pixel: even, falling off towards a corner, or with the soft shadow of a hand. */
function lightOf(damage: Damage, width: number, height: number, random: () => number): (pixel: number) => number {
  const flip = random() < 0.5;
  const at = 0.35 + 0.3 * random();
  return (pixel) => {
    const [u, v] = [(pixel % width) / width, Math.floor(pixel / width) / height];
    const across = flip ? u : 1 - u;
    const falloff = 1 - 0.55 * ((across + v) / 2) ** 1.3;
    const shadow = 1 - 0.5 / (1 + Math.exp((across - at + 0.15 * Math.sin(5 * v)) / 0.02));
    if (damage === 'shading') return falloff;
    if (damage === 'shadow') return shadow;
    return damage === 'all' ? 0.3 + 0.7 * falloff * (0.5 + 0.5 * shadow) : 1;
  };
}
