import { open } from 'node:fs/promises';

/** Make, model, time, artist, copyright and the EXIF directory: what a person misses (TIFF 6.0, section 8; EXIF 2.32, section 4.6). */
const TOLD_BY = new Set([0x010f, 0x0110, 0x0132, 0x013b, 0x8298, 0x8769]);
const BIG = 43;

/** Whether the first directory of a TIFF file says more than what the picture looks like; false when it cannot be read. */
export async function tiffHasExif(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const read = async (position: number, length: number): Promise<DataView> => {
      const { buffer } = await file.read(new Uint8Array(length), 0, length, position);
      return new DataView(buffer.buffer);
    };
    const head = await read(0, 16);
    const little = head.getUint16(0) === 0x4949;
    const big = head.getUint16(2, little) === BIG;
    const at = big ? Number(head.getBigUint64(8, little)) : head.getUint32(4, little);
    const [countBytes, entryBytes] = big ? [8, 20] : [2, 12];
    const counted = await read(at, countBytes);
    const count = big ? Number(counted.getBigUint64(0, little)) : counted.getUint16(0, little);
    const entries = await read(at + countBytes, Math.min(count, 0xffff) * entryBytes);
    for (let entry = 0; entry < entries.byteLength; entry += entryBytes) {
      if (TOLD_BY.has(entries.getUint16(entry, little))) return true;
    }
    return false;
  } catch {
    // A position beyond all files; the decoder has its own word on such a file.
    return false;
  } finally {
    await file.close();
  }
}
