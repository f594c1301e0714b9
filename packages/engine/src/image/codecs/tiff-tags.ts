import { open, type FileHandle } from 'node:fs/promises';
import {
  directoryBytes,
  encodeEntry,
  even,
  EXIF_DIRECTORY,
  fieldsOfExif,
  GPS_DIRECTORY,
  pointerTo,
  type ExifField,
} from '../metadata/exif-fields.ts';
import type { Metadata } from '../metadata/metadata.ts';

const XMP_TAG = 700;
const ICC_TAG = 34_675;
const BYTE = 1;
const SHORT = 3;
const RATIONAL = 5;
const UNDEFINED = 7;

const bytesField = (tag: number, type: number, values: Uint8Array): ExifField => ({
  tag,
  type,
  count: values.length,
  values,
});

const ONE = new Uint8Array(new Uint32Array([1, 1]).buffer);
/** A square pixel of no known size: the resolution is a ratio without a unit (TIFF 6.0, section 8). libvips cannot write one. */
const NO_RESOLUTION: readonly ExifField[] = [
  { tag: 282, type: RATIONAL, count: 1, values: ONE },
  { tag: 283, type: RATIONAL, count: 1, values: ONE },
  { tag: 296, type: SHORT, count: 1, values: new Uint8Array([1, 0]) },
];

/**
 * Adds profile, XMP and EXIF to a little-endian TIFF file in place. Sources: TIFF 6.0, section 2; ICC.1 annex B.3; EXIF
 * 2.32, section 4.6. Values and an extended copy of the first directory are appended, and the header references that
 * copy.
 */
export async function appendTiffTags(path: string, { icc, xmp, exif, density }: Metadata): Promise<void> {
  const taken = exif && (await fieldsOfExif(exif));
  const fields = [
    ...(xmp ? [bytesField(XMP_TAG, BYTE, xmp)] : []),
    ...(icc ? [bytesField(ICC_TAG, UNDEFINED, icc)] : []),
    ...(density === undefined ? NO_RESOLUTION : []),
    ...(taken?.main ?? []),
  ];
  if (fields.length === 0 && taken === undefined) return;
  const file = await open(path, 'r+');
  try {
    let end = even((await file.stat()).size);
    const append = async (bytes: Uint8Array): Promise<number> => {
      const at = end;
      await file.write(bytes, 0, bytes.length, at);
      end = even(at + bytes.length);
      return at;
    };
    for (const [tag, directory] of [
      [EXIF_DIRECTORY, taken?.exif ?? []],
      [GPS_DIRECTORY, taken?.gps ?? []],
    ] as const) {
      if (directory.length > 0) fields.push(pointerTo(tag, await append(directoryBytes(directory, end))));
    }
    const directoryAt = (await read(file, 4, 4)).readUInt32LE();
    const count = (await read(file, directoryAt, 2)).readUInt16LE();
    const old = await read(file, directoryAt + 2, count * 12 + 4);
    const replaced = new Set(fields.map(({ tag }) => tag));
    const entries = Array.from({ length: count }, (_, i) => old.subarray(i * 12, i * 12 + 12)).filter(
      (entry) => !replaced.has(entry.readUInt16LE()),
    );
    for (const field of fields) {
      entries.push(field.values.length <= 4 ? encodeEntry(field) : encodeEntry(field, await append(field.values)));
    }
    entries.sort((a, b) => a.readUInt16LE() - b.readUInt16LE());
    const length = Buffer.alloc(2);
    length.writeUInt16LE(entries.length);
    const pointer = Buffer.alloc(4);
    pointer.writeUInt32LE(await append(Buffer.concat([length, ...entries, old.subarray(count * 12)])));
    await file.write(pointer, 0, 4, 4);
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  return (await file.read(Buffer.alloc(length), 0, length, position)).buffer;
}
