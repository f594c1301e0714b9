/** Offsets of the entries of an EXIF block (TIFF 6.0, section 2; EXIF 2.32, section 4.6). */
export interface ExifLayout {
  view: DataView;
  littleEndian: boolean;
  /** Offsets of the 12-byte entries of the main and of the EXIF directory, by tag */
  entries: Map<number, number>;
  /** Offset of the pointer to the second directory, which contains the thumbnail */
  nextDirectoryAt: number;
}

const EXIF_DIRECTORY = 0x8769;
const SHORT = 3;
const LONG = 4;

/** Finds the entries of an EXIF block, from its TIFF header; undefined when the block is damaged. */
export function readExifLayout(exif: Uint8Array): ExifLayout | undefined {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.byteLength);
  const order = exif.length < 14 ? 0 : view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return undefined;
  const littleEndian = order === 0x4949;
  const entries = new Map<number, number>();
  const nextDirectoryAt = readDirectory(view, view.getUint32(4, littleEndian), littleEndian, entries);
  if (nextDirectoryAt === undefined) return undefined;
  const inner = entries.get(EXIF_DIRECTORY);
  if (inner !== undefined) readDirectory(view, view.getUint32(inner + 8, littleEndian), littleEndian, entries);
  return { view, littleEndian, entries, nextDirectoryAt };
}

function readDirectory(
  view: DataView,
  at: number,
  littleEndian: boolean,
  entries: Map<number, number>,
): number | undefined {
  if (at + 2 > view.byteLength) return undefined;
  const count = view.getUint16(at, littleEndian);
  const end = at + 2 + count * 12;
  if (end + 4 > view.byteLength) return undefined;
  for (let entry = at + 2; entry < end; entry += 12) entries.set(view.getUint16(entry, littleEndian), entry);
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
