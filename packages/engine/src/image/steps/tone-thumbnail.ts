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
  const { data, channels, hasAlpha } = picture;
  const [width, height] = [Math.min(GRID, picture.width), Math.min(GRID, picture.height)];
  const max = maxSample(picture);
  const [green, blue] = colourChannels(picture) === 1 ? [0, 0] : [1, 2];
  const cells = new Uint16Array(width * height * 3);
  const opaque = new Uint8Array(width * height).fill(1);
  const across = Int32Array.from({ length: width + 1 }, (_, i) => Math.floor((i * picture.width) / width));
  for (let j = 0, cell = 0; j < height; j += 1) {
    const y0 = Math.floor((j * picture.height) / height);
    const y1 = Math.floor(((j + 1) * picture.height) / height);
    const stepY = Math.ceil((y1 - y0) / 3);
    for (let i = 0; i < width; i += 1, cell += 1) {
      const [x0, x1] = [across[i]!, across[i + 1]!];
      const stepX = Math.ceil((x1 - x0) / 3);
      let r = 0;
      let g = 0;
      let b = 0;
      let count = 0;
      for (let y = y0; y < y1; y += stepY) {
        const row = y * picture.width;
        for (let x = x0; x < x1; x += stepX) {
          const k = (row + x) * channels;
          r += data[k]!;
          g += data[k + green]!;
          b += data[k + blue]!;
          if (hasAlpha && data[k + channels - 1]! < max / 2) opaque[cell] = 0;
          count += 1;
        }
      }
      const scale = FULL / (count * max);
      cells[3 * cell] = r * scale + 0.5;
      cells[3 * cell + 1] = g * scale + 0.5;
      cells[3 * cell + 2] = b * scale + 0.5;
    }
  }
  return { width, height, cells, opaque };
}
