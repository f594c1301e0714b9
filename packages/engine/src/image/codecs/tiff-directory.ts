import { open } from 'node:fs/promises';
import { readExifFields, type ExifFields } from '../metadata/exif-fields.ts';

/** Facts in the directories of a TIFF file that its decoder does not report. */
export interface TiffDirectory {
  /** Index of the first page that is not a reduced copy of another */
  page: number;
  /** Capture data; that of the first page if the full page has none */
  exif: ExifFields | undefined;
  /** The channel after the colours is alpha, associated or not */
  extraIsAlpha: boolean;
  /** The resolution has a unit; otherwise it only defines the aspect ratio of a pixel */
  hasUnit: boolean;
}

const SUBFILE_TYPE = 254;
const REDUCED = 1;
const RESOLUTION_UNIT = 296;
const NO_UNIT = 1;
const EXTRA_SAMPLES = 338;
const UNSPECIFIED = 0;
const BIG = 43;
const SHORT = 3;
/** Maximum number of pages to search: few files begin with thumbnails, and never with so many. */
const MAX_PAGES = 16;

const PLAIN: TiffDirectory = { page: 0, exif: undefined, extraIsAlpha: true, hasUnit: true };

/**
 * Reads the directory of the first full page. Unreadable data gives the default facts, and the decoder reports its own
 * error.
 */
export async function readTiffDirectory(path: string): Promise<TiffDirectory> {
  const file = await open(path);
  try {
    const readFile = (position: number, length: number) => file.read(new Uint8Array(length), 0, length, position);
    const read = async (position: number, length: number): Promise<DataView> =>
      new DataView((await readFile(position, length)).buffer.buffer);
    const readBytes = async (position: number, length: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await readFile(position, length);
      return buffer.subarray(0, bytesRead);
    };
    const head = await read(0, 16);
    const little = head.getUint16(0) === 0x4949;
    const big = head.getUint16(2, little) === BIG;
    const offset = (view: DataView, at: number): number =>
      big ? Number(view.getBigUint64(at, little)) : view.getUint32(at, little);
    const [countBytes, entryBytes, valueAt] = big ? [8, 20, 12] : [2, 12, 8];
    let first: TiffDirectory | undefined;
    for (let page = 0, at = offset(head, big ? 8 : 4); at !== 0 && page < MAX_PAGES; page += 1) {
      const counted = await read(at, countBytes);
      const count = Math.min(big ? Number(counted.getBigUint64(0, little)) : counted.getUint16(0, little), 0xffff);
      const view = await read(at + countBytes, count * entryBytes + (big ? 8 : 4));
      const values = new Map<number, number>();
      for (let entry = 0; entry < count * entryBytes; entry += entryBytes) {
        const short = view.getUint16(entry + 2, little) === SHORT;
        const place = entry + valueAt;
        values.set(
          view.getUint16(entry, little),
          short ? view.getUint16(place, little) : view.getUint32(place, little),
        );
      }
      const directory = {
        page,
        exif: (await readExifFields(readBytes, at, { little, big })) ?? first?.exif,
        extraIsAlpha: values.get(EXTRA_SAMPLES) !== UNSPECIFIED,
        hasUnit: values.get(RESOLUTION_UNIT) !== NO_UNIT,
      };
      first ??= directory;
      if (((values.get(SUBFILE_TYPE) ?? 0) & REDUCED) === 0) return directory;
      at = offset(view, count * entryBytes);
    }
    return first ?? PLAIN;
  } catch {
    // The offset exceeds the size of any file.
    return PLAIN;
  } finally {
    await file.close();
  }
}
