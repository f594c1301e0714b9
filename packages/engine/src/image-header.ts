import { open, type FileHandle } from 'node:fs/promises';
import type { MediaType } from '@burnish/contract/engine';
import { MAX_INPUT_PIXELS } from './limits.ts';

/** Size in pixels. */
export interface ImageSize {
  width: number;
  height: number;
  /** Whether each pixel takes several passes: an interlaced PNG or a progressive JPEG */
  interlaced?: boolean;
}

/** Segments of a JPEG, boxes of a HEIF or entries of a TIFF that are read at most. Real files have some hundreds. */
const MAX_PARTS = 10_000;

type Reader = (position: number, bytes: number) => Promise<Buffer>;

/**
 * Reads the size of a result from its header.
 * @throws Error for any other header, for a file that ends before it, and for an AVIF with several sizes
 */
export async function readImageSize(path: string, type: MediaType): Promise<ImageSize> {
  const [first, ...others] = await readImageSizes(path, type);
  if (first === undefined || others.some(({ width, height }) => width !== first.width || height !== first.height))
    throw new Error('The image has no size, or several.');
  return first;
}

/**
 * Reads the sizes of the pictures of a file from its header, a few kilobytes at a time and without decoding, so that the parent of
 * a decoder can do it. A HEIF has several pictures: tiles, opacity and thumbnails. The header may lie.
 * @throws Error for any other header, and for a file that ends before it
 */
async function readImageSizes(path: string, type: MediaType): Promise<ImageSize[]> {
  const read = READERS[type];
  if (read === undefined) throw new Error(`The size of ${type} is not known.`);
  const file = await open(path);
  try {
    return [await read(createReader(file), (await file.stat()).size)].flat();
  } finally {
    await file.close();
  }
}

/** Bytes of one read: the parts before the size are small and follow each other. */
const BLOCK_BYTES = 4_096;

function createReader(file: FileHandle): Reader {
  let start = 0;
  let block = Buffer.alloc(0);
  return async (position, bytes) => {
    if (position < start || position + bytes > start + block.length) {
      const wanted = Math.max(bytes, BLOCK_BYTES);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(wanted), 0, wanted, position);
      [start, block] = [position, buffer.subarray(0, bytesRead)];
    }
    const part = block.subarray(position - start, position - start + bytes);
    if (part.length < bytes) throw new Error('The header is incomplete.');
    return part;
  };
}

/** Frame headers of progressive JPEGs (ITU-T T.81, table B.1). */
const PROGRESSIVE = [0xffc2, 0xffc6, 0xffca, 0xffce];

const READERS: Partial<Record<MediaType, (read: Reader, size: number) => Promise<ImageSize | ImageSize[]>>> = {
  'image/png': sizeOfPng,
  'image/jpeg': sizeOfJpeg,
  'image/tiff': sizeOfTiff,
  'image/webp': sizeOfWebp,
  'image/avif': sizesOfHeif,
  'image/heic': sizesOfHeif,
  'image/gif': sizeOfGif,
  'image/bmp': sizeOfBmp,
};

/** The chunk IHDR comes first (PNG specification, section 11.2.1). */
async function sizeOfPng(read: Reader): Promise<ImageSize> {
  const header = await read(12, 17);
  if (header.toString('latin1', 0, 4) !== 'IHDR') throw new Error('The PNG has no header.');
  return { width: header.readUInt32BE(4), height: header.readUInt32BE(8), interlaced: header.readUInt8(16) !== 0 };
}

/** The logical screen (GIF89a, section 18). */
async function sizeOfGif(read: Reader): Promise<ImageSize> {
  const screen = await read(6, 4);
  return { width: screen.readUInt16LE(0), height: screen.readUInt16LE(2) };
}

/** A header of Windows; its height is negative where the rows run downwards. */
async function sizeOfBmp(read: Reader): Promise<ImageSize> {
  const header = await read(18, 8);
  return { width: Math.abs(header.readInt32LE(0)), height: Math.abs(header.readInt32LE(4)) };
}

/** The frame header follows other segments (ITU-T T.81, section B.1.1.4). */
async function sizeOfJpeg(read: Reader): Promise<ImageSize> {
  let at = 2;
  for (let part = 0; part < MAX_PARTS; part += 1) {
    const segment = await read(at, 9);
    const marker = segment.readUInt16BE(0);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame)
      return {
        width: segment.readUInt16BE(7),
        height: segment.readUInt16BE(5),
        interlaced: PROGRESSIVE.includes(marker),
      };
    if (marker < 0xffc0 || marker === 0xffda) break;
    at += 2 + segment.readUInt16BE(2);
  }
  throw new Error('The JPEG has no frame header.');
}

/** The first directory of a classic TIFF (TIFF 6.0, section 2): tags 256 and 257, each one number of 16 or 32 bits. */
async function sizeOfTiff(read: Reader): Promise<ImageSize> {
  const header = await read(0, 8);
  const isLittle = header.toString('latin1', 0, 2) === 'II';
  const word = (buffer: Buffer, at: number): number => (isLittle ? buffer.readUInt16LE(at) : buffer.readUInt16BE(at));
  const long = (buffer: Buffer, at: number): number => (isLittle ? buffer.readUInt32LE(at) : buffer.readUInt32BE(at));
  if (word(header, 2) !== 42) throw new Error('The TIFF is of an unknown kind.');
  const directory = long(header, 4);
  const entries = Math.min(MAX_PARTS, word(await read(directory, 2), 0));
  const table = await read(directory + 2, entries * 12);
  const readTag = (tag: number): number => {
    for (let at = 0; at < table.length; at += 12)
      if (word(table, at) === tag) return word(table, at + 2) === 3 ? word(table, at + 8) : long(table, at + 8);
    throw new Error('The TIFF has no size.');
  };
  return { width: readTag(256), height: readTag(257) };
}

/** The canvas of an extended file, or the frame of a simple one (RFC 9649, sections 2.5 to 2.7). */
async function sizeOfWebp(read: Reader): Promise<ImageSize> {
  const header = await read(12, 18);
  const kind = header.toString('latin1', 0, 4);
  if (kind === 'VP8X') return { width: header.readUIntLE(12, 3) + 1, height: header.readUIntLE(15, 3) + 1 };
  if (kind === 'VP8 ') return { width: header.readUInt16LE(14) & 0x3fff, height: header.readUInt16LE(16) & 0x3fff };
  if (kind !== 'VP8L') throw new Error('The WebP is of an unknown kind.');
  const bits = header.readUInt32LE(9);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** The size of each item: the picture, its opacity, its tiles (ISO/IEC 23008-12, section 6.5.3). */
async function sizesOfHeif(read: Reader, size: number): Promise<ImageSize[]> {
  let parts = 0;
  const found: ImageSize[] = [];
  await look(0, size);
  return found;

  async function look(from: number, to: number): Promise<void> {
    for (let at = from; at < to;) {
      if ((parts += 1) > MAX_PARTS) throw new Error('The HEIF has too many boxes.');
      const box = await read(at, 8);
      const length = box.readUInt32BE(0) || to - at;
      if (length < 8 || at + length > to) throw new Error('A box of the HEIF has an impossible length.');
      const type = box.toString('latin1', 4, 8);
      if (type === 'meta') await look(at + 12, at + length);
      if (type === 'iprp' || type === 'ipco') await look(at + 8, at + length);
      if (type === 'ispe') {
        const sides = await read(at + 12, 8);
        found.push({ width: sides.readUInt32BE(0), height: sides.readUInt32BE(4) });
      }
      at += length;
    }
  }
}

/** CPU time to decode a pixel once, nanoseconds: the dearer of a flat picture of 100 megapixels and a noisy one of 12 to 48. */
const PIXEL_NS: Record<Exclude<MediaType, 'application/pdf'>, number> = {
  'image/jpeg': 9,
  'image/png': 18,
  'image/tiff': 15,
  // Two decodings: damage shows only in the second one.
  'image/webp': 90,
  'image/gif': 16,
  'image/bmp': 15,
  'image/avif': 110,
  'image/heic': 110,
};

/** The same for a progressive JPEG and an interlaced PNG. */
const INTERLACED_PIXEL_NS = 35;

/**
 * Estimates the CPU time of an inspection from the header of the file, in milliseconds. The header may lie, so the estimate only
 * decides where the inspection runs. An image over the limit of pixels costs nothing, because its header refuses it.
 * @returns Infinity when the header cannot be read
 */
export async function estimateInspectionMs(path: string, type: MediaType): Promise<number> {
  if (type === 'application/pdf') return Infinity;
  let sizes: ImageSize[];
  try {
    sizes = await readImageSizes(path, type);
  } catch {
    return Infinity;
  }
  const costs = sizes.map(({ width, height, interlaced }) =>
    width * height > MAX_INPUT_PIXELS ? 0 : width * height * (interlaced ? INTERLACED_PIXEL_NS : PIXEL_NS[type]),
  );
  return costs.length === 0 ? Infinity : Math.max(...costs) / 1e6;
}
