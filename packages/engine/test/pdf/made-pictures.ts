import { deflateSync } from 'node:zlib';
import { onePage, type BuiltObject, type Objects } from '../../../pdf/test/build-pdf.ts';
import { flateImage, jpegImage, type Samples } from './pictures.ts';

/** Where made pictures lie on the page, points from its left lower corner. */
export const CORNER = { x: 100, y: 300 } as const;

export const xObject = (image: { dict: string; data: Buffer | string }, more = ''): BuiltObject => ({
  dict: `/Type/XObject/Subtype/Image ${image.dict}${more}`,
  data: image.data,
});

/** An object with a soft mask of these samples. */
export function softMask(samples: Samples, more = ''): BuiltObject {
  return xObject(flateImage(samples, more));
}

/** A disc of 255 on 0 with a soft edge of a pixel. */
export function disc(width: number, height: number): Samples {
  const data = Buffer.alloc(width * height);
  const radius = Math.min(width, height) * 0.4;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const distance = Math.hypot(x + 0.5 - width / 2, y + 0.5 - height / 2);
      data[y * width + x] = 255 * Math.max(0, Math.min(1, radius - distance + 0.5));
    }
  return { data, width, height, channels: 1 };
}

/** A disc as a stencil mask of one bit, which hides where it is 1. */
export function stencilDisc(width: number, height: number, more = ''): BuiltObject {
  const { data } = disc(width, height);
  const rowBytes = Math.ceil(width / 8);
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) if (data[y * width + x]! < 128) rows[y * rowBytes + (x >> 3)]! |= 128 >> (x & 7);
  const dict = `/Width ${width}/Height ${height}/ImageMask true/BitsPerComponent 1/Filter/FlateDecode${more}`;
  return xObject({ dict, data: deflateSync(rows) });
}

/** A picture whose hidden pixels all have one colour. */
export function cutOut(samples: Samples, mask: Samples, hidden: number): Samples {
  const data = Buffer.from(samples.data);
  for (let i = 0; i < mask.data.length; i += 1)
    if (mask.data[i] === 0) data.fill(hidden, i * samples.channels, (i + 1) * samples.channels);
  return { ...samples, data };
}

/** One image, object 10, drawn at `points` by `high`, on a page with a ground of this grey. */
export function imageOnGround(
  image: BuiltObject,
  points: number,
  high: number,
  ground: number,
  more: Objects = {},
): Objects {
  const content = `${ground} g 0 0 612 792 re f q ${points} 0 0 ${high} ${CORNER.x} ${CORNER.y} cm /Im0 Do Q`;
  return onePage(content, '/XObject<</Im0 10 0 R>>', { 10: image, ...more });
}

export interface Cut {
  /** Widths of columns and heights of rows, pixels */
  columns: number[];
  rows: number[];
  /** Coded as JPEG instead of without loss */
  jpeg?: boolean;
  /** Cut like the picture; each tile gets its own part as soft mask, objects from 500 on */
  mask?: Samples;
  /** Turns the picture, degrees */
  turn?: number;
  /** Tiles that are left out, counted from the left upper one */
  without?: number[];
  /** Decimals of the numbers in the content */
  decimals?: number;
}

/** A picture as strips or tiles, objects from 10 on, drawn edge to edge at 72 pixels an inch. */
export async function cutPicture(samples: Samples, cut: Cut): Promise<Objects> {
  const { columns, rows, jpeg = false, mask, turn = 0, without = [], decimals = 4 } = cut;
  const objects: Objects = {};
  const angle = (turn / 180) * Math.PI;
  const number = (value: number): string => String(Number(value.toFixed(decimals)));
  let content = '';
  let names = '';
  for (let row = 0, top = 0, tile = 0; row < rows.length; top += rows[row]!, row += 1) {
    for (let column = 0, left = 0; column < columns.length; left += columns[column]!, column += 1, tile += 1) {
      if (without.includes(tile)) continue;
      const area = { left, top, width: columns[column]!, height: rows[row]! };
      const image = jpeg ? await jpegImage(rectangle(samples, area), 95) : flateImage(rectangle(samples, area));
      objects[10 + tile] = xObject(image, mask ? `/SMask ${500 + tile} 0 R` : '');
      if (mask) objects[500 + tile] = softMask(rectangle(mask, area));
      const [x, y] = [left, samples.height - top - area.height];
      const place = [
        Math.cos(angle) * area.width,
        Math.sin(angle) * area.width,
        -Math.sin(angle) * area.height,
        Math.cos(angle) * area.height,
        CORNER.x + Math.cos(angle) * x - Math.sin(angle) * y,
        CORNER.y + Math.sin(angle) * x + Math.cos(angle) * y,
      ];
      content += `q ${place.map(number).join(' ')} cm /T${tile} Do Q\n`;
      names += `/T${tile} ${10 + tile} 0 R`;
    }
  }
  return onePage(content, `/XObject<<${names}>>`, objects);
}

function rectangle(
  { data, width, channels }: Samples,
  area: { left: number; top: number; width: number; height: number },
): Samples {
  const rows = Array.from({ length: area.height }, (_, y) => {
    const at = ((area.top + y) * width + area.left) * channels;
    return data.subarray(at, at + area.width * channels);
  });
  return { data: Buffer.concat(rows), width: area.width, height: area.height, channels };
}
