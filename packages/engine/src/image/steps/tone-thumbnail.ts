import { colourChannels, maxSample, type Picture } from '../picture.ts';

const GRID = 200;

/** Maximum value in a thumbnail: 14 bits, so that lookup tables of its values fit into the cache. */
export const FULL = 16_383;

/** A reduced copy for statistics: a grid of cells over the whole picture, each the mean of up to 3×3 samples. */
export interface ToneThumbnail {
  width: number;
  height: number;
  /** Red, green and blue in turn, 0 to `FULL`, rows from the top */
  cells: Uint16Array;
  /** 1 if all samples of the cell are opaque */
  opaque: Uint8Array;
}

/** Samples a grid of small averages, so that noise has no influence. Grey gives three equal channels. Not for CMYK. */
export function toneThumbnail(picture: Picture): ToneThumbnail {
  const { data, channels } = picture;
  const [width, height] = [Math.min(GRID, picture.width), Math.min(GRID, picture.height)];
  const max = maxSample(picture);
  const [green, blue] = colourChannels(picture) === 1 ? [0, 0] : [1, 2];
  const cells = new Uint16Array(width * height * 3);
  const [across, down] = [samplesOf(picture.width, width), samplesOf(picture.height, height)];
  const { starts } = across;
  const steps = across.places.map((x) => x * channels);
  const stride = picture.width * channels;
  const sums = new Float64Array(3 * width);
  for (let j = 0, cell = 0; j < height; j += 1) {
    const [first, end] = [down.starts[j]!, down.starts[j + 1]!];
    sums.fill(0);
    for (let n = first; n < end; n += 1) {
      const row = down.places[n]! * stride;
      for (let i = 0, m = 0; i < width; i += 1) {
        let r = 0;
        let g = 0;
        let b = 0;
        for (const last = starts[i + 1]!; m < last; m += 1) {
          const k = row + steps[m]!;
          r += data[k]!;
          g += data[k + green]!;
          b += data[k + blue]!;
        }
        sums[3 * i]! += r;
        sums[3 * i + 1]! += g;
        sums[3 * i + 2]! += b;
      }
    }
    for (let i = 0; i < width; i += 1, cell += 3) {
      const scale = FULL / ((end - first) * (starts[i + 1]! - starts[i]!) * max);
      cells[cell] = sums[3 * i]! * scale + 0.5;
      cells[cell + 1] = sums[3 * i + 1]! * scale + 0.5;
      cells[cell + 2] = sums[3 * i + 2]! * scale + 0.5;
    }
  }
  return { width, height, cells, opaque: opaqueCells(picture, width, across, down) };
}

/** Samples of one side: their places, and for each cell the first of its own, with one start beyond the last. */
interface Samples {
  places: Int32Array;
  starts: Int32Array;
}

/** Returns up to three samples of each of some equal cells of a side. */
function samplesOf(size: number, cells: number): Samples {
  const places: number[] = [];
  const starts = [0];
  for (let i = 0; i < cells; i += 1) {
    const [from, to] = [Math.floor((i * size) / cells), Math.floor(((i + 1) * size) / cells)];
    const step = Math.ceil((to - from) / 3);
    for (let at = from; at < to; at += step) places.push(at);
    starts.push(places.length);
  }
  return { places: Int32Array.from(places), starts: Int32Array.from(starts) };
}

/** @returns 1 for each cell whose samples are all opaque */
function opaqueCells(picture: Picture, width: number, across: Samples, down: Samples): Uint8Array {
  const rows = down.starts.length - 1;
  const opaque = new Uint8Array(width * rows).fill(1);
  if (!picture.hasAlpha) return opaque;
  const { data, channels } = picture;
  const least = maxSample(picture) / 2;
  const { places, starts } = across;
  for (let j = 0; j < rows; j += 1)
    for (let n = down.starts[j]!; n < down.starts[j + 1]!; n += 1) {
      const row = down.places[n]! * picture.width;
      for (let i = 0, m = 0; i < width; i += 1)
        for (const last = starts[i + 1]!; m < last; m += 1)
          if (data[(row + places[m]! + 1) * channels - 1]! < least) opaque[j * width + i] = 0;
    }
  return opaque;
}
