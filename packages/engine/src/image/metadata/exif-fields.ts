/** One field of a directory (TIFF 6.0, section 2). */
export interface ExifField {
  tag: number;
  type: number;
  /** Number of values; the type defines their size */
  count: number;
  /** All values, little-endian */
  values: Uint8Array;
}

/** Fields that describe the capture of a picture, apart from its pixels. */
export interface ExifFields {
  /** Fields of the main directory: description, camera, time, artist, copyright */
  main: ExifField[];
  exif: ExifField[];
  gps: ExifField[];
  /** The source has a MakerNote, which is omitted: its internal offsets are valid only at its original position */
  hasMakerNote: boolean;
}

/** Reads `length` bytes from `position`; fewer at the end of the source. */
export type ReadBytes = (position: number, length: number) => Promise<Uint8Array>;

/** Byte order of a source, and whether it is a BigTIFF with offsets of 64 bits. */
export interface TiffForm {
  little: boolean;
  big: boolean;
}

export const EXIF_DIRECTORY = 0x8769;
export const GPS_DIRECTORY = 0x8825;
export const MAKER_NOTE = 0x927c;
const INTEROPERABILITY = 0xa005;
/** Tags of TIFF 6.0 section 8 and EXIF 2.32 section 4.6.4; from 0x9c9b, the tags of Windows. */
const DESCRIPTIVE = new Set([
  0x010e, 0x010f, 0x0110, 0x0131, 0x0132, 0x013b, 0x013c, 0x8298, 0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f,
]);
const ASCII = 2;
const LONG = 4;
/** Bytes of one value by type: BYTE, ASCII, SHORT, LONG, RATIONAL, SBYTE, UNDEFINED, SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE, IFD, LONG8, IFD8. */
const VALUE_BYTES: Record<number, number> = {
  1: 1,
  [ASCII]: 1,
  3: 2,
  [LONG]: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  16: 8,
  18: 8,
};
/** Types that consist of two numbers of four bytes. */
const RATIONALS = new Set([5, 10]);
const MAX_FIELDS = 256;
/** Limits for a JPEG, which has at most 65,533 bytes for all EXIF. */
const MAX_FIELD_BYTES = 16_384;
const MAX_BYTES = 60_000;

/** Bytes of a directory's count, of an entry, and of a value or offset inside an entry. */
const PARTS = { classic: { count: 2, entry: 12, value: 4 }, big: { count: 8, entry: 20, value: 8 } };

/** Reads a directory, except fields of unknown type or larger than `MAX_FIELD_BYTES`. */
async function readDirectory(read: ReadBytes, at: number, { little, big }: TiffForm): Promise<ExifField[]> {
  const parts = big ? PARTS.big : PARTS.classic;
  const counted = toDataView(await read(at, parts.count));
  const count = big ? Number(counted.getBigUint64(0, little)) : counted.getUint16(0, little);
  const directory = toDataView(await read(at + parts.count, Math.min(count, MAX_FIELDS) * parts.entry));
  const fields: ExifField[] = [];
  for (let entry = 0; entry + parts.entry <= directory.byteLength; entry += parts.entry) {
    const type = directory.getUint16(entry + 2, little);
    const number = big ? Number(directory.getBigUint64(entry + 4, little)) : directory.getUint32(entry + 4, little);
    const length = (VALUE_BYTES[type] ?? Number.POSITIVE_INFINITY) * number;
    if (number === 0 || length > MAX_FIELD_BYTES) continue;
    const valueAt = entry + parts.entry - parts.value;
    const offset = big ? Number(directory.getBigUint64(valueAt, little)) : directory.getUint32(valueAt, little);
    const stored =
      length <= parts.value
        ? new Uint8Array(directory.buffer, directory.byteOffset + valueAt, length)
        : await read(offset, length);
    if (stored.length < length) continue;
    const tag = directory.getUint16(entry, little);
    fields.push({ tag, type, count: number, values: little ? Uint8Array.from(stored) : swapped(stored, type) });
  }
  return fields;
}

/**
 * @param at offset of the main directory
 * @returns undefined without any, and for a damaged directory
 */
export async function readExifFields(read: ReadBytes, at: number, form: TiffForm): Promise<ExifFields | undefined> {
  try {
    const all = await readDirectory(read, at, form);
    const below = async (tag: number): Promise<ExifField[]> => {
      const pointer = all.find((field) => field.tag === tag);
      return pointer === undefined ? [] : await readDirectory(read, readOffset(pointer), form);
    };
    const inner = await below(EXIF_DIRECTORY);
    const exif = inner.filter(({ tag }) => tag !== MAKER_NOTE && tag !== INTEROPERABILITY);
    const gps = await below(GPS_DIRECTORY);
    const main = all.filter(({ tag }) => DESCRIPTIVE.has(tag));
    if (main.length + exif.length + gps.length === 0) return undefined;
    return { ...withinBytes({ main, exif, gps }), hasMakerNote: inner.some(({ tag }) => tag === MAKER_NOTE) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export async function fieldsOfExif(exif: Uint8Array): Promise<ExifFields | undefined> {
  if (exif.length < 8) return undefined;
  const view = toDataView(exif);
  const little = view.getUint16(0) === 0x4949;
  const read: ReadBytes = (position, length) => Promise.resolve(exif.subarray(position, position + length));
  return await readExifFields(read, view.getUint32(4, little), { little, big: false });
}

export function exifBlock({ main, exif, gps }: ExifFields): Uint8Array {
  const head = Buffer.from([0x49, 0x49, 42, 0, HEADER_BYTES, 0, 0, 0]);
  const pointers = Number(exif.length > 0) + Number(gps.length > 0);
  // The length does not depend on the offsets.
  const mainBytes = directoryBytes(main, HEADER_BYTES).length + pointers * PARTS.classic.entry;
  const exifAt = HEADER_BYTES + mainBytes;
  const exifBytes = exif.length === 0 ? new Uint8Array() : directoryBytes(exif, exifAt);
  const gpsAt = exifAt + exifBytes.length;
  const all = [
    ...main,
    ...(exif.length === 0 ? [] : [pointerTo(EXIF_DIRECTORY, exifAt)]),
    ...(gps.length === 0 ? [] : [pointerTo(GPS_DIRECTORY, gpsAt)]),
  ];
  const gpsBytes = gps.length === 0 ? new Uint8Array() : directoryBytes(gps, gpsAt);
  return Buffer.concat([head, directoryBytes(all, HEADER_BYTES), exifBytes, gpsBytes]);
}

const HEADER_BYTES = 8;

export function pointerTo(tag: number, at: number): ExifField {
  const values = Buffer.alloc(4);
  values.writeUInt32LE(at);
  return { tag, type: LONG, count: 1, values };
}

/** Serialises a little-endian directory without a successor, followed by its values. @param at its offset, even */
export function directoryBytes(fields: readonly ExifField[], at: number): Uint8Array {
  const sorted = fields.toSorted((a, b) => a.tag - b.tag);
  const count = Buffer.alloc(2);
  count.writeUInt16LE(sorted.length);
  const values: Uint8Array[] = [];
  let end = at + 2 + sorted.length * PARTS.classic.entry + 4;
  const entries = sorted.map((field) => {
    if (field.values.length <= PARTS.classic.value) return encodeEntry(field);
    const entry = encodeEntry(field, end);
    const padded = Buffer.alloc(even(field.values.length));
    padded.set(field.values);
    values.push(padded);
    end += padded.length;
    return entry;
  });
  return Buffer.concat([count, ...entries, Buffer.alloc(4), ...values]);
}

/** Serialises the 12 bytes of a field. @param at offset of its values, if they are longer than 4 bytes */
export function encodeEntry({ tag, type, count, values }: ExifField, at?: number): Buffer {
  const entry = Buffer.alloc(PARTS.classic.entry);
  entry.writeUInt16LE(tag, 0);
  entry.writeUInt16LE(type, 2);
  entry.writeUInt32LE(count, 4);
  if (at === undefined) entry.set(values, 8);
  else entry.writeUInt32LE(at, 8);
  return entry;
}

/** Rounds an offset up to even, as values require (TIFF 6.0, section 2). */
export const even = (offset: number): number => offset + (offset & 1);

/** Removes the longest fields until the rest fits into `MAX_BYTES`. */
function withinBytes(fields: Omit<ExifFields, 'hasMakerNote'>): Omit<ExifFields, 'hasMakerNote'> {
  let { main, exif, gps } = fields;
  for (;;) {
    const all = [...main, ...exif, ...gps];
    const bytes = all.reduce((sum, { values }) => sum + PARTS.classic.entry + even(values.length), 0);
    if (bytes <= MAX_BYTES) return { main, exif, gps };
    const longest = all.reduce((a, b) => (b.values.length > a.values.length ? b : a));
    const others = (list: ExifField[]): ExifField[] => list.filter((field) => field !== longest);
    [main, exif, gps] = [others(main), others(exif), others(gps)];
  }
}

function readOffset({ values }: ExifField): number {
  const view = toDataView(values);
  return values.length === 8 ? Number(view.getBigUint64(0, true)) : view.getUint32(0, true);
}

function swapped(values: Uint8Array, type: number): Uint8Array {
  const unit = RATIONALS.has(type) ? 4 : VALUE_BYTES[type]!;
  const copy = Uint8Array.from(values);
  for (let at = 0; at < copy.length; at += unit) copy.subarray(at, at + unit).reverse();
  return copy;
}

const toDataView = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
