import sharp from 'sharp';
import type { Picture } from '../../src/image/picture.ts';

/** Pixels of a drawn spread. */
export const [SPREAD_WIDTH, SPREAD_HEIGHT] = [744, 528];
const PAPER = '#f0ead8';

/** Light at a distance from the fold, share of the width; negative on the left page. */
export type Light = (distance: number) => number;

/** The light over folds: bound books, a magazine, the gap of a scanner's lid, and a book lit from one side. */
export const FOLD = {
  deep: (d) => 1 - 0.75 * Math.exp(-Math.abs(d) / 0.018),
  soft: (d) => 1 - 0.45 * Math.exp(-Math.abs(d) / 0.025),
  band: (d) => 1 - 0.88 / (1 + Math.exp((Math.abs(d) - 0.01) / 0.003)),
  oneSided: (d) => 1 - 0.5 * Math.exp(-Math.abs(d) / (d < 0 ? 0.03 : 0.006)),
} as const satisfies Record<string, Light>;

/** A page of bars like letters in 14 lines with a rule below them, turned about its centre, and nothing near its edges. */
async function pageOf(degrees: number): Promise<Buffer> {
  const [width, height] = [SPREAD_WIDTH / 2, SPREAD_HEIGHT];
  const letters = Array.from({ length: 14 * 24 }, (_, k) => {
    const [line, column] = [Math.floor(k / 24), k % 24];
    if ((column * 7 + line * 3) % 6 === 0) return '';
    const tall = (column * 5 + line) % 4 === 0 ? 6 : 0;
    return `<rect x="${66 + column * 10}" y="${50 + line * 25 - tall}" width="4" height="${11 + tall}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${PAPER}"/>
    <g fill="#222" transform="rotate(${degrees} ${width / 2} ${height / 2})">${letters.join('')}<rect x="36" y="456" width="300" height="3"/></g></svg>`;
  return await sharp(Buffer.from(svg)).png().toBuffer();
}

/** Two drawn pages beside each other, each skewed by its degrees, clockwise on the screen, under the shadow of a fold. */
export async function drawnSpread({
  left,
  right,
  light = FOLD.deep,
}: {
  left: number;
  right: number;
  light?: Light;
}): Promise<Picture> {
  const pages = await Promise.all([pageOf(left), pageOf(right)]);
  const size = { width: SPREAD_WIDTH, height: SPREAD_HEIGHT, channels: 3, background: PAPER } as const;
  const data = await sharp({ create: size })
    .composite(pages.map((input, k) => ({ input, left: (k * SPREAD_WIDTH) / 2, top: 0 })))
    .removeAlpha()
    .raw()
    .toBuffer();
  const lights = Array.from({ length: SPREAD_WIDTH }, (_, x) => light((x + 0.5) / SPREAD_WIDTH - 0.5));
  const lit = Uint8Array.from(data, (sample, at) => sample * lights[Math.floor(at / 3) % SPREAD_WIDTH]!);
  return { data: lit, width: SPREAD_WIDTH, height: SPREAD_HEIGHT, channels: 3, space: 'rgb', hasAlpha: false };
}
