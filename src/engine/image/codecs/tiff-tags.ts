import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Metadata } from '../metadata/metadata.ts';

const XMP_TAG = 700;
const ICC_TAG = 34_675;
const BYTE = 1;
const UNDEFINED = 7;

interface Tag {
  tag: number;
  type: number;
  payload: Uint8Array;
}

/**
 * Adds profile and XMP to a little-endian TIFF file in place (TIFF 6.0, section 2; ICC.1 annex B.3): the payloads and
 * a longer copy of the first directory go to the end, and the header points there. EXIF would need every offset inside
 * it moved, maker notes included, and is not carried into TIFF.
 */
export async function appendTiffTags(path: string, { icc, xmp }: Metadata): Promise<void> {
  const tags: Tag[] = [
    ...(xmp ? [{ tag: XMP_TAG, type: BYTE, payload: xmp }] : []),
    ...(icc ? [{ tag: ICC_TAG, type: UNDEFINED, payload: icc }] : []),
  ];
  if (tags.length === 0) return;
  const file = await open(path, 'r+');
  try {
    const directoryAt = (await read(file, 4, 4)).readUInt32LE();
    const count = (await read(file, directoryAt, 2)).readUInt16LE();
    const old = await read(file, directoryAt + 2, count * 12 + 4);
    const entries = Array.from({ length: count }, (_, i) => old.subarray(i * 12, i * 12 + 12));
    let end = even((await file.stat()).size);
    for (const { tag, type, payload } of tags) {
      await file.write(payload, 0, payload.length, end);
      const entry = Buffer.alloc(12);
      entry.writeUInt16LE(tag, 0);
      entry.writeUInt16LE(type, 2);
      entry.writeUInt32LE(payload.length, 4);
      entry.writeUInt32LE(end, 8);
      entries.push(entry);
      end = even(end + payload.length);
    }
    entries.sort((a, b) => a.readUInt16LE() - b.readUInt16LE());
    const length = Buffer.alloc(2);
    length.writeUInt16LE(entries.length);
    const directory = Buffer.concat([length, ...entries, old.subarray(count * 12)]);
    await file.write(directory, 0, directory.length, end);
    const pointer = Buffer.alloc(4);
    pointer.writeUInt32LE(end);
    await file.write(pointer, 0, 4, 4);
  } finally {
    await file.close();
  }
}

const even = (offset: number): number => offset + (offset & 1);

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  return (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
}
