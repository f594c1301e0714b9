import { EngineError } from '@burnish/contract/engine';
import { MAX_INPUT_PIXELS, MAX_SIDE } from '../../limits.ts';
import type { Picture } from '../picture.ts';

/** Header of a BMP (Windows GDI, BITMAPFILEHEADER and BITMAPINFOHEADER to BITMAPV5HEADER). */
export interface BmpHeader {
  /** Pixels */
  width: number;
  height: number;
  /** Rows are stored from top to bottom */
  fromTop: boolean;
  /** Bits per pixel: 1, 4, 8, 16, 24 or 32 */
  bits: number;
  coding: 'plain' | 'rle8' | 'rle4';
  /** Bit masks of red, green, blue and alpha in a pixel of 16 or 32 bits; alpha 0: none */
  masks: readonly number[];
  hasAlpha: boolean;
  /** Four bytes per colour: blue, green, red, unused */
  palette: Uint8Array;
  /** Offset of the pixels */
  pixelsAt: number;
  /** Dots per inch; undefined if the file does not define it */
  density: number | undefined;
}

const FILE_HEADER = 14;
const INFO_HEADER = 40;
const METRES_PER_INCH = 0.0254;
const CODINGS = { plain: [0, 3, 6], rle8: [1], rle4: [2] } as const;

/**
 * Reads the header of a BMP.
 * @throws EngineError CORRUPT_FILE; UNSUPPORTED_MEDIA_TYPE for a header of OS/2, an embedded JPEG or PNG, and odd depths; TOO_MANY_PIXELS
 */
export function readBmpHeader(file: Uint8Array): BmpHeader {
  const view = toDataView(file);
  if (file.length < FILE_HEADER + INFO_HEADER || file[0] !== 0x42 || file[1] !== 0x4d)
    throw new EngineError('CORRUPT_FILE');
  const headerSize = view.getUint32(FILE_HEADER, true);
  if (headerSize < INFO_HEADER) throw unsupported('A BMP of OS/2 is not supported.');
  if (headerSize > file.length - FILE_HEADER) throw new EngineError('CORRUPT_FILE');
  const width = view.getInt32(18, true);
  const storedHeight = view.getInt32(22, true);
  const height = Math.abs(storedHeight);
  const bits = view.getUint16(28, true);
  const method = view.getUint32(30, true);
  if (width < 1 || height < 1) throw new EngineError('CORRUPT_FILE');
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_INPUT_PIXELS)
    throw new EngineError('TOO_MANY_PIXELS');
  if (![1, 4, 8, 16, 24, 32].includes(bits)) throw unsupported(`A BMP with ${bits} bits a pixel is not supported.`);
  const coding = findCoding(method, bits);
  const masks = readMasks(view, { bits, method, headerSize });
  const hasAlpha = masks[3] !== 0;
  const paletteAt = FILE_HEADER + headerSize + (method === 3 && headerSize === INFO_HEADER ? 12 : 0);
  const pixelsAt = view.getUint32(10, true);
  if (pixelsAt > file.length || (bits <= 8 && paletteAt > pixelsAt)) throw new EngineError('CORRUPT_FILE');
  const perMetre = view.getInt32(38, true);
  return {
    width,
    height,
    fromTop: storedHeight < 0,
    bits,
    coding,
    masks,
    hasAlpha,
    palette: bits <= 8 ? file.subarray(paletteAt, Math.min(pixelsAt, paletteAt + 4 * 2 ** bits)) : new Uint8Array(),
    pixelsAt,
    density: perMetre > 0 ? Math.round(perMetre * METRES_PER_INCH) : undefined,
  };
}

/** Decodes a BMP upright as RGB, with alpha if the header defines it. @throws EngineError as `readBmpHeader` */
export function decodeBmp(file: Uint8Array): Picture {
  const header = readBmpHeader(file);
  const { width, height, hasAlpha } = header;
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  if (header.bits <= 8) paint(data, header, readIndexes(file, header));
  else unpack(data, file, header);
  return { data, width, height, channels, space: 'rgb', hasAlpha };
}

function findCoding(method: number, bits: number): BmpHeader['coding'] {
  const [coding] = Object.entries(CODINGS).find(([, methods]) => (methods as readonly number[]).includes(method)) ?? [];
  if (coding === undefined) throw unsupported('A BMP that holds a JPEG or PNG is not supported.');
  const needed = { rle8: 8, rle4: 4, plain: bits }[coding as BmpHeader['coding']];
  if (needed !== bits || (method !== 0 && coding === 'plain' && bits < 16)) throw new EngineError('CORRUPT_FILE');
  return coding as BmpHeader['coding'];
}

/** Without masks in the header, 16-bit pixels have five bits per colour. 32-bit pixels have eight, and no alpha. */
function readMasks(view: DataView, at: { bits: number; method: number; headerSize: number }): readonly number[] {
  const { bits, method, headerSize } = at;
  if (bits < 16 || bits === 24) return [0, 0, 0, 0];
  if (method === 0) return bits === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0xff00, 0xff, 0];
  const masksAt = FILE_HEADER + INFO_HEADER;
  const names = method === 6 || headerSize >= 56 ? 4 : 3;
  if (view.byteLength < masksAt + names * 4) throw new EngineError('CORRUPT_FILE');
  const masks = [0, 1, 2, 3].map((index) => (index < names ? view.getUint32(masksAt + index * 4, true) : 0));
  if (masks.slice(0, 3).some((mask) => mask === 0)) throw new EngineError('CORRUPT_FILE');
  return masks;
}

/** Bytes of a row, padded to whole words of 32 bits. */
const rowStride = ({ width, bits }: BmpHeader): number => Math.ceil((width * bits) / 32) * 4;

/** Returns the row of the upright picture for a stored row. */
const uprightRow = ({ height, fromTop }: BmpHeader, stored: number): number => (fromTop ? stored : height - 1 - stored);

/** Returns one palette index per pixel, rows from the top; pixels skipped by run-length coding are 0. */
function readIndexes(file: Uint8Array, header: BmpHeader): Uint8Array {
  if (header.coding !== 'plain') return decodeRuns(file, header);
  const { width, height, bits, pixelsAt } = header;
  const stride = rowStride(header);
  if (pixelsAt + stride * height > file.length) throw new EngineError('CORRUPT_FILE');
  const indexes = new Uint8Array(width * height);
  const perByte = 8 / bits;
  const mask = 2 ** bits - 1;
  for (let stored = 0; stored < height; stored += 1) {
    const from = pixelsAt + stored * stride;
    const to = uprightRow(header, stored) * width;
    for (let x = 0; x < width; x += 1) {
      const shift = 8 - bits * ((x % perByte) + 1);
      indexes[to + x] = (file[from + Math.floor(x / perByte)]! >> shift) & mask;
    }
  }
  return indexes;
}

/** Decodes run-length coding: pairs of count and value; a count of 0 begins an escape. */
function decodeRuns(file: Uint8Array, header: BmpHeader): Uint8Array {
  const { width, height, coding, pixelsAt } = header;
  const indexes = new Uint8Array(width * height);
  const nibbles = coding === 'rle4';
  let [x, stored] = [0, 0];
  const put = (index: number): void => {
    if (x < width && stored < height) indexes[uprightRow(header, stored) * width + x] = index;
    x += 1;
  };
  for (let at = pixelsAt; at + 1 < file.length && stored < height;) {
    const [count, value] = [file[at]!, file[at + 1]!];
    at += 2;
    if (count > 0) {
      for (let each = 0; each < count; each += 1) put(nibbles ? (each % 2 === 0 ? value >> 4 : value & 15) : value);
    } else if (value === 0) {
      [x, stored] = [0, stored + 1];
    } else if (value === 1) {
      return indexes;
    } else if (value === 2) {
      if (at + 1 >= file.length) throw new EngineError('CORRUPT_FILE');
      [x, stored] = [x + file[at]!, stored + file[at + 1]!];
      at += 2;
    } else {
      const bytes = nibbles ? Math.ceil(value / 2) : value;
      if (at + bytes > file.length) throw new EngineError('CORRUPT_FILE');
      for (let each = 0; each < value; each += 1) {
        const byte = file[at + (nibbles ? each >> 1 : each)]!;
        put(nibbles ? (each % 2 === 0 ? byte >> 4 : byte & 15) : byte);
      }
      at += bytes + (bytes % 2);
    }
  }
  const isWhole = stored >= height || (stored === height - 1 && x >= width);
  if (!isWhole) throw new EngineError('CORRUPT_FILE');
  return indexes;
}

function paint(data: Uint8Array, { palette }: BmpHeader, indexes: Uint8Array): void {
  const colours = palette.length >> 2;
  for (let pixel = 0; pixel < indexes.length; pixel += 1) {
    const index = indexes[pixel]!;
    if (index >= colours) throw new EngineError('CORRUPT_FILE');
    data[pixel * 3] = palette[index * 4 + 2]!;
    data[pixel * 3 + 1] = palette[index * 4 + 1]!;
    data[pixel * 3 + 2] = palette[index * 4]!;
  }
}

function unpack(data: Uint8Array, file: Uint8Array, header: BmpHeader): void {
  const { width, height, bits, masks, hasAlpha, pixelsAt } = header;
  const stride = rowStride(header);
  if (pixelsAt + stride * height > file.length) throw new EngineError('CORRUPT_FILE');
  const view = toDataView(file);
  const fields = masks.slice(0, hasAlpha ? 4 : 3).map(toBitField);
  let to = 0;
  for (let row = 0; row < height; row += 1) {
    const from = pixelsAt + uprightRow(header, row) * stride;
    for (let x = 0; x < width; x += 1) {
      if (bits === 24) {
        const at = from + x * 3;
        data[to++] = file[at + 2]!;
        data[to++] = file[at + 1]!;
        data[to++] = file[at]!;
      } else {
        const value = bits === 16 ? view.getUint16(from + x * 2, true) : view.getUint32(from + x * 4, true);
        for (const { mask, shift, max } of fields) data[to++] = Math.round((((value & mask) >>> shift) * 255) / max);
      }
    }
  }
}

function toBitField(mask: number): { mask: number; shift: number; max: number } {
  const shift = 31 - Math.clz32(mask & -mask);
  return { mask, shift, max: mask >>> shift };
}

const toDataView = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const unsupported = (detail: string): EngineError =>
  new EngineError('UNSUPPORTED_MEDIA_TYPE', { detail: `${detail} Save it as PNG.` });
