import sharp from 'sharp';
import type { Picture } from '../../src/image/picture.ts';
import { copyOf } from './measure.ts';

/** Pixels of a drawn page, and the row of its rule. */
export const [PAGE_WIDTH, PAGE_HEIGHT] = [600, 480];
const RULE = 318;
/** Letters in a line. */
const COLUMNS = 46;

/** A page of bars like letters in 12 lines, a rule below them, and what `more` draws in SVG. */
export async function drawnPage(more = '', ink = '#1c1c1c', paper = '#ffffff'): Promise<Picture> {
  const letters = Array.from({ length: 12 * COLUMNS }, (_, k) => {
    const [line, column] = [Math.floor(k / COLUMNS), k % COLUMNS];
    if ((column * 7 + line * 3) % 6 === 0) return '';
    const tall = (column * 5 + line) % 4 === 0 ? 6 : 0;
    return `<rect x="${70 + column * 10}" y="${50 + line * 22 - tall}" width="4" height="${10 + tall}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${PAGE_WIDTH}" height="${PAGE_HEIGHT}"><rect width="100%" height="100%" fill="${paper}"/>
    <g fill="${ink}">${letters.join('')}<rect x="70" y="${RULE}" width="460" height="3"/></g>${more}</svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().blur(0.6).raw().toBuffer();
  return {
    data: Uint8Array.from(data),
    width: PAGE_WIDTH,
    height: PAGE_HEIGHT,
    channels: 3,
    space: 'rgb',
    hasAlpha: false,
  };
}

/** Multiplies a page by light, from 0 to 1 at each point. */
export function lit(given: Picture, light: (u: number, v: number) => number, tint = [1, 0.97, 0.9]): Picture {
  const result = copyOf(given);
  for (let at = 0; at < PAGE_WIDTH * PAGE_HEIGHT; at += 1) {
    const here = light((at % PAGE_WIDTH) / PAGE_WIDTH, Math.floor(at / PAGE_WIDTH) / PAGE_HEIGHT);
    for (let c = 0; c < 3; c += 1) result.data[at * 3 + c] = result.data[at * 3 + c]! * here * tint[c]!;
  }
  return result;
}

/** Offsets of a sample's green value to those three pixels around it. */
const AROUND = [-3, 0, 3].flatMap((dy) => [-3, 0, 3].map((dx) => (dy * PAGE_WIDTH + dx) * 3 + 1));

/** Share of pixels that are paper in a clean page and at least 250 in a result. */
export function whiteShare({ data: clean }: Picture, { data: result }: Picture): number {
  let [paper, white] = [0, 0];
  for (let y = 3; y < PAGE_HEIGHT - 3; y += 3) {
    for (let x = 3; x < PAGE_WIDTH - 3; x += 2) {
      const at = (y * PAGE_WIDTH + x) * 3;
      if (AROUND.some((offset) => clean[at + offset]! < 254)) continue;
      paper += 1;
      if (result[at]! >= 250 && result[at + 1]! >= 250 && result[at + 2]! >= 250) white += 1;
    }
  }
  return white / paper;
}
