import { appendFile } from 'node:fs/promises';
import type { Insertion, Metadata } from '../metadata/metadata.ts';

/** Bytes of `RIFF`, the size and `WEBP`. */
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
const VP8X_BYTES = 10;

/** Flags of VP8X (WebP Container Specification, "Extended File Format"). */
const HAS = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04 } as const;

/**
 * Returns the head of a WebP with metadata: the size of the file, the chunk VP8X that lists its parts, and the profile.
 * EXIF and XMP follow the picture (`appendWebpChunks`).
 * @param head the first bytes of a WebP without metadata
 */
export function webpHead(head: Uint8Array, { icc, exif, xmp }: Metadata): Insertion {
  if (!icc && !exif && !xmp) return { at: 0, skip: 0, bytes: new Uint8Array() };
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const extended = bytes.toString('latin1', RIFF_HEADER, RIFF_HEADER + 4) === 'VP8X';
  const skipped = extended ? CHUNK_HEADER + VP8X_BYTES : 0;
  const { width, height, alpha } = readCanvas(bytes);
  const canvas = Buffer.alloc(VP8X_BYTES);
  canvas[0] = (icc ? HAS.icc : 0) | (alpha ? HAS.alpha : 0) | (exif ? HAS.exif : 0) | (xmp ? HAS.xmp : 0);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const parts = [chunk('VP8X', canvas), ...(icc ? [chunk('ICCP', icc)] : [])];
  const added = parts.reduce((sum, { length }) => sum + length, metadataChunks(exif, xmp).length) - skipped;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.readUInt32LE(4) + added);
  return { at: 4, skip: RIFF_HEADER - 4 + skipped, bytes: Buffer.concat([size, Buffer.from('WEBP'), ...parts]) };
}

/** Appends EXIF and XMP to the file at `path`, whose VP8X chunk already declares them. */
export async function appendWebpChunks(path: string, { exif, xmp }: Metadata): Promise<void> {
  const bytes = metadataChunks(exif, xmp);
  if (bytes.length > 0) await appendFile(path, bytes);
}

function metadataChunks(exif: Uint8Array | undefined, xmp: Uint8Array | undefined): Buffer {
  return Buffer.concat([...(exif ? [chunk('EXIF', exif)] : []), ...(xmp ? [chunk('XMP ', xmp)] : [])]);
}

function chunk(name: string, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(CHUNK_HEADER);
  header.write(name, 'latin1');
  header.writeUInt32LE(payload.length, 4);
  return Buffer.concat([header, payload, Buffer.alloc(payload.length & 1)]);
}

/**
 * Returns the size of the picture in pixels and whether it has alpha. The source is VP8X, a lossy frame (RFC 6386, 9.1)
 * or a lossless one (its specification, 3).
 */
function readCanvas(bytes: Buffer): { width: number; height: number; alpha: boolean } {
  const data = RIFF_HEADER + CHUNK_HEADER;
  switch (bytes.toString('latin1', RIFF_HEADER, RIFF_HEADER + 4)) {
    case 'VP8X':
      return {
        width: bytes.readUIntLE(data + 4, 3) + 1,
        height: bytes.readUIntLE(data + 7, 3) + 1,
        alpha: (bytes[data]! & HAS.alpha) !== 0,
      };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(data + 1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, alpha: ((bits >>> 28) & 1) === 1 };
    }
    default:
      return {
        width: bytes.readUInt16LE(data + 6) & 0x3fff,
        height: bytes.readUInt16LE(data + 8) & 0x3fff,
        alpha: false,
      };
  }
}
