import { colourChannels, type Picture } from '../picture.ts';
import type { PageArea } from './page-area.ts';

/** Widest shadow of a spine, and the paper beside it that gives its light, as shares of the width of its page. */
const WIDTH = { shadow: 0.1, beside: 0.13 } as const;
/** Light of the shadow, as a share of the paper beside it: its least, that of its darkest column at most, and of its end. */
const LIGHT = { least: 0.15, darkest: 0.87, end: 0.95 } as const;
/** Bands of the page that are compared, least share of them that agree on a column, and by how much. */
const BANDS = { count: 24, agree: 0.8, within: 0.1 } as const;
/** Largest change from a column to the next. A frame and a picture change at once. */
const STEP = 0.06;

/**
 * Lightens the shadow at the spine of a book, in place: columns at the left or right edge of a page that darken evenly over
 * its height, too steeply for an estimate of the paper.
 * @param areas pages beside each other
 * @returns whether there was one
 */
export function lightenSpine(picture: Picture, areas: readonly Pick<PageArea, 'left' | 'right'>[]): boolean {
  const found = areas.flatMap((area) => [lightenEdge(picture, area, false), lightenEdge(picture, area, true)]);
  return found.includes(true);
}

function lightenEdge(picture: Picture, area: Pick<PageArea, 'left' | 'right'>, atRight: boolean): boolean {
  const { width, height, data, channels } = picture;
  const colours = colourChannels(picture);
  const columnOf = (x: number): number => (atRight ? area.right - 1 - x : area.left + x);
  const own = area.right - area.left;
  const [most, beside] = [Math.floor(WIDTH.shadow * own), Math.floor(WIDTH.beside * own)];
  const rowsOf = (band: number): [number, number] => [
    Math.floor((band * height) / BANDS.count),
    Math.floor(((band + 1) * height) / BANDS.count),
  ];
  if (most < 16 || height < 4 * BANDS.count) return false;
  const bands = Array.from({ length: BANDS.count }, (_, band) => band);
  const levels = (band: number, columns: readonly number[], channel: number, part: number): number => {
    const [top, bottom] = rowsOf(band);
    const values: number[] = [];
    for (let y = top; y < bottom; y += Math.max(1, (bottom - top) >> 5))
      for (const x of columns) values.push(data[(y * width + columnOf(x)) * channels + channel]!);
    return Math.max(1, values.sort((a, b) => a - b)[Math.floor(part * values.length)]!);
  };
  const paperColumns = Array.from({ length: 8 }, (_, k) => most + Math.floor(((beside - most) * k) / 8));
  const paper = bands.map((band) =>
    Array.from({ length: colours }, (_, channel) => levels(band, paperColumns, channel, 0.85)),
  );
  const middle = colours === 1 ? 0 : 1;
  const light: number[][] = [];
  for (let x = 0; x < most; x += 1) {
    const near = [Math.max(0, x - 1), x, x + 1];
    const shares = Array.from({ length: colours }, (_, channel) =>
      bands.map((band) => levels(band, near, channel, 0.6) / paper[band]![channel]!),
    );
    const medians = shares.map((of) => of.toSorted((a, b) => a - b)[BANDS.count >> 1]!);
    const share = medians[middle]!;
    const agree = shares[middle]!.filter((each) => Math.abs(each / share - 1) <= BANDS.within).length;
    const last = light.at(-1)?.[middle] ?? share;
    if (share < LIGHT.least || agree < BANDS.agree * BANDS.count || Math.abs(share - last) > STEP) return false;
    if (share >= LIGHT.end) break;
    light.push(medians);
  }
  if (light.length === most || light.length === 0) return false;
  if (Math.min(...light.map((each) => each[middle]!)) > LIGHT.darkest) return false;
  const max = data instanceof Uint16Array ? 65_535 : 255;
  for (let y = 0; y < height; y += 1)
    light.forEach((shares, x) => {
      const at = (y * width + columnOf(x)) * channels;
      for (let c = 0; c < colours; c += 1)
        data[at + c] = Math.min(max, Math.round(data[at + c]! / Math.min(1, shares[c]!)));
    });
  return true;
}
