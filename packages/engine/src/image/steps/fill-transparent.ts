import { emptySamples, type Picture } from '../picture.ts';
import type { OnPart } from '../progress.ts';

/** Rows that are filled at once, without those at their edges; a band needs little memory besides the picture. */
const BAND_ROWS = 128;
/** A pixel is hidden in round 0, and visible from the start in round 1. A hidden pixel that waits for its turn is `QUEUED`. */
const QUEUED = 255;

/**
 * Gives fully transparent pixels the mean colour of their neighbours, up to `reach` pixels from visible ones, and black
 * beyond. A filter with a window then finds no edge between hidden colours.
 * @param picture with alpha; it changes in place, since it may have a gigabyte
 * @param reach pixels, at most 200
 */
export function fillTransparent(picture: Picture, reach: number, onPart?: OnPart): void {
  const { data, width, height, channels } = picture;
  const rowLength = width * channels;
  // The rows above a band as they were: colours come from at most `reach` rows above and below.
  let above = data.slice(0, 0);
  for (let top = 0; top < height; top += BAND_ROWS) {
    const bottom = Math.min(height, top + BAND_ROWS);
    const below = data.subarray(top * rowLength, Math.min(height, bottom + reach) * rowLength);
    const rows = emptySamples(picture, above.length + below.length);
    rows.set(above);
    rows.set(below, above.length);
    const start = above.length;
    above = rows.slice(Math.max(0, start + (bottom - top - reach) * rowLength), start + (bottom - top) * rowLength);
    fillBand({ ...picture, data: rows, height: rows.length / rowLength }, reach);
    data.set(rows.subarray(start, start + (bottom - top) * rowLength), top * rowLength);
    onPart?.(bottom / height);
  }
}

/** Fills the picture in place: in each round, the hidden neighbours of the pixels of the last one. */
function fillBand({ data, width, height, channels }: Picture, reach: number): void {
  const round = new Uint8Array(width * height);
  const colours = channels - 1;
  for (let i = 0, at = 0; i < round.length; i += 1, at += channels) {
    if (data[at + colours] !== 0) round[i] = 1;
    else for (let c = 0; c < colours; c += 1) data[at + c] = 0;
  }
  const around = (i: number, visit: (neighbour: number) => void): void => {
    const x = i % width;
    for (let row = Math.max(0, i - x - width); row <= Math.min(i - x + width, round.length - width); row += width)
      for (let at = row + Math.max(0, x - 1); at <= row + Math.min(width - 1, x + 1); at += 1) visit(at);
  };
  let turn = besideVisible(round, width);
  const queue = (neighbour: number): void => {
    if (round[neighbour] !== 0) return;
    round[neighbour] = QUEUED;
    turn.push(neighbour);
  };
  for (const i of turn) round[i] = QUEUED;
  const sums = new Float64Array(colours);
  for (let now = 2; turn.length > 0 && now < 2 + reach; now += 1) {
    for (const i of turn) {
      sums.fill(0);
      let count = 0;
      around(i, (from) => {
        if (round[from] === 0 || round[from]! >= now) return;
        for (let c = 0; c < colours; c += 1) sums[c]! += data[from * channels + c]!;
        count += 1;
      });
      for (let c = 0; c < colours; c += 1) data[i * channels + c] = sums[c]! / count + 0.5;
      round[i] = now;
    }
    const filled = turn;
    turn = [];
    for (const i of filled) around(i, queue);
  }
}

/** Finds the hidden pixels with a visible neighbour. */
function besideVisible(round: Uint8Array, width: number): number[] {
  const found: number[] = [];
  // Whether a column has a visible pixel in the rows around the current one.
  const column = new Uint8Array(width);
  for (let row = 0; row < round.length; row += width) {
    const [above, below] = [Math.max(0, row - width), Math.min(round.length - width, row + width)];
    for (let x = 0; x < width; x += 1) column[x] = round[above + x]! | round[row + x]! | round[below + x]!;
    for (let x = 0, before = 0; x < width; x += 1) {
      const here = column[x]!;
      const isBeside = (before | here | (x + 1 < width ? column[x + 1]! : 0)) === 1;
      if (isBeside && round[row + x] === 0) found.push(row + x);
      before = here;
    }
  }
  return found;
}
