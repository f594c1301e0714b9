/** Offsets of the entries of an EXIF block (TIFF 6.0, section 2; EXIF 2.32, section 4.6). */
export interface ExifLayout {
  view: DataView;
  littleEndian: boolean;
  /** Offset of the main directory */
  mainAt: number;
  /** Offsets of the 12-byte entries of the main and of the EXIF directory, by tag */
  entries: Map<number, number>;
  /** Offset of the pointer to the second directory, which contains the thumbnail */
  nextDirectoryAt: number;
}

const EXIF_DIRECTORY = 0x8769;
const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
/** Bytes of an entry, and of the count and the successor of a directory. */
const ENTRY_BYTES = 12;
const COUNT_BYTES = 2;
const NEXT_BYTES = 4;

/** Finds the entries of an EXIF block, from its TIFF header; undefined when the block is damaged. */
export function readExifLayout(exif: Uint8Array): ExifLayout | undefined {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
  const order = exif.length < 14 ? 0 : view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const littleEndian = order === 0x4949;
  const entries = new Map<number, number>();
  const mainAt = view.getUint32(4, littleEndian);
  const nextDirectoryAt = readDirectory(view, mainAt, littleEndian, entries);
  if (nextDirectoryAt === undefined) return undefined;
  const inner = entries.get(EXIF_DIRECTORY);
  if (inner !== undefined) readDirectory(view, view.getUint32(inner + 8, littleEndian), littleEndian, entries);
  return { view, littleEndian, mainAt, entries, nextDirectoryAt };
}

function readDirectory(
  view: DataView,
  at: number,
  littleEndian: boolean,
  entries: Map<number, number>,
): number | undefined {
  if (at + COUNT_BYTES > view.byteLength) return undefined;
  const count = view.getUint16(at, littleEndian);
  const end = at + COUNT_BYTES + count * ENTRY_BYTES;
  if (end + NEXT_BYTES > view.byteLength) return undefined;
  for (let entry = at + COUNT_BYTES; entry < end; entry += ENTRY_BYTES)
    entries.set(view.getUint16(entry, littleEndian), entry);
  return end;
}

/** Overwrites an existing number in its stored type, SHORT or LONG. */
export function writeShort({ view, littleEndian, entries }: ExifLayout, tag: number, value: number): void {
  const at = entries.get(tag);
  if (at === undefined) return;
  const type = view.getUint16(at + 2, littleEndian);
  if (type === SHORT && value <= 0xffff) view.setUint16(at + 8, value, littleEndian);
  if (type === LONG) view.setUint32(at + 8, value, littleEndian);
}

const X_RESOLUTION = 0x011a;
const Y_RESOLUTION = 0x011b;
const RESOLUTION_UNIT = 0x0128;
const INCH = 2;

/** A block with an empty main directory, little-endian. */
const EMPTY = Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0);

/**
 * Returns an EXIF block whose print resolution is `dpi` in both directions. A copy of the main directory with the
 * resolution is appended, and the header references it. All other bytes keep their offsets, as a MakerNote requires.
 * @param exif undefined and a damaged block give a block that has nothing but the resolution
 */
export function withResolution(exif: Uint8Array | undefined, dpi: number): Uint8Array {
  const given = exif && readExifLayout(exif);
  const { view, littleEndian, mainAt } = given ?? readExifLayout(EMPTY)!;
  const own = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const kept = Array.from({ length: view.getUint16(mainAt, littleEndian) }, (_, index) => {
    const at = mainAt + COUNT_BYTES + index * ENTRY_BYTES;
    return { tag: view.getUint16(at, littleEndian), bytes: own.subarray(at, at + ENTRY_BYTES) };
  }).filter(({ tag }) => ![X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT].includes(tag));

  const directoryAt = own.length + (own.length & 1);
  const rationalAt = directoryAt + COUNT_BYTES + (kept.length + 3) * ENTRY_BYTES + NEXT_BYTES;
  const result = new Uint8Array(rationalAt + 8);
  const out = new DataView(result.buffer);
  result.set(own);
  const entry = (tag: number, type: number, write: (bytes: DataView) => void) => {
    const bytes = new DataView(new ArrayBuffer(ENTRY_BYTES));
    bytes.setUint16(0, tag, littleEndian);
    bytes.setUint16(2, type, littleEndian);
    bytes.setUint32(4, 1, littleEndian);
    write(bytes);
    return { tag, bytes: new Uint8Array(bytes.buffer) };
  };
  const atRational = (bytes: DataView): void => bytes.setUint32(8, rationalAt, littleEndian);
  const entries = [
    ...kept,
    entry(X_RESOLUTION, RATIONAL, atRational),
    entry(Y_RESOLUTION, RATIONAL, atRational),
    entry(RESOLUTION_UNIT, SHORT, (bytes) => bytes.setUint16(8, INCH, littleEndian)),
  ].toSorted((a, b) => a.tag - b.tag);
  out.setUint32(4, directoryAt, littleEndian);
  out.setUint16(directoryAt, entries.length, littleEndian);
  for (const [index, { bytes }] of entries.entries())
    result.set(bytes, directoryAt + COUNT_BYTES + index * ENTRY_BYTES);
  out.setUint32(rationalAt, dpi, littleEndian);
  out.setUint32(rationalAt + 4, 1, littleEndian);
  return result;
}
