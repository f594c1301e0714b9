import { crc32, deflateSync } from 'node:zlib';
import type { Insertion, Metadata } from '../metadata/metadata.ts';

/** Bytes of the signature and the header chunk. */
const AFTER_HEADER = 33;
const PHYSICAL_CHUNK = 21;

/** Returns the metadata chunks to insert after the header of a PNG (W3C PNG, third edition, section 11.3). */
export function pngChunks(head: Uint8Array, { icc, exif, xmp, density, pngColour }: Metadata): Insertion {
  const chunks = [
    ...(pngColour ? [pngColour] : []),
    ...(icc ? [chunk('iCCP', Buffer.concat([Buffer.from('icc\0\0'), deflateSync(icc)]))] : []),
    ...(density ? [chunk('pHYs', physical(density))] : []),
    ...(exif ? [chunk('eXIf', exif)] : []),
    ...(xmp ? [chunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), xmp]))] : []),
  ];
  // libvips writes an invented resolution, which is removed.
  const own = Buffer.from(head.subarray(AFTER_HEADER + 4, AFTER_HEADER + 8)).toString() === 'pHYs';
  return { at: AFTER_HEADER, skip: own ? PHYSICAL_CHUNK : 0, bytes: Buffer.concat(chunks) };
}

const COLOUR_CHUNKS = ['cICP', 'gAMA', 'cHRM'];

/** Returns the chunks before a PNG's pixels that define its colours without a profile; undefined for none. */
export function pngColourChunks(head: Uint8Array): Uint8Array | undefined {
  const found: Buffer[] = [];
  for (const { type, data, whole } of readPngChunks(head)) {
    if (type === 'IDAT') break;
    if (COLOUR_CHUNKS.includes(type) && data.length <= 32) found.push(whole);
  }
  return found.length === 0 ? undefined : Buffer.concat(found);
}

/**
 * Returns the number of frames of a PNG: 1, or the value of an `acTL` chunk (W3C PNG, third edition, section 11.3.5).
 * @param head the first bytes of the file, up to its pixels
 */
export function pngFrames(head: Uint8Array): number {
  for (const { type, data } of readPngChunks(head)) {
    if (type === 'IDAT') break;
    if (type === 'acTL' && data.length === 8) return Math.max(1, data.readUInt32BE(0));
  }
  return 1;
}

interface PngChunk {
  type: string;
  data: Buffer;
  /** The data with its length, type and checksum */
  whole: Buffer;
}

const SIGNATURE_BYTES = 8;
/** Bytes of the length, type and checksum of a chunk. */
const AROUND_DATA = 12;

/** Yields the chunks that these first bytes of a PNG, or all of them, contain completely (section 5.3). */
export function* readPngChunks(bytes: Uint8Array): Generator<PngChunk> {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = SIGNATURE_BYTES; at + AROUND_DATA <= png.length;) {
    const end = at + AROUND_DATA + png.readUInt32BE(at);
    if (end > png.length) return;
    const whole = png.subarray(at, end);
    yield { type: whole.toString('latin1', 4, 8), data: whole.subarray(8, -4), whole };
    at = end;
  }
}

function chunk(type: string, payload: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), payload]);
  const bytes = Buffer.alloc(body.length + 8);
  bytes.writeUInt32BE(payload.length, 0);
  body.copy(bytes, 4);
  bytes.writeUInt32BE(crc32(body), body.length + 4);
  return bytes;
}

/** Returns the data of `pHYs`: pixels per metre in both directions, and the unit. */
function physical(density: number): Buffer {
  const bytes = Buffer.alloc(9);
  const perMetre = Math.round(density / 0.0254);
  bytes.writeUInt32BE(perMetre, 0);
  bytes.writeUInt32BE(perMetre, 4);
  bytes[8] = 1;
  return bytes;
}
