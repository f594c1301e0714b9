import { fileTypeFromBuffer } from 'file-type';
import { DETECT_BYTES, isInputMediaType, type MediaType } from '@burnish/contract/engine';

/**
 * HEIF brands with pictures coded in HEVC; `mif1` and `msf1` do not define the codec, and the decoder determines it.
 */
const HEIC_BRANDS = ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'];

/**
 * Returns whether the compatible brands of a HEIF file include AV1 (AV1 Image File Format, section 6). It applies to
 * major brands that do not define the codec.
 */
function isAvif(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, DETECT_BYTES));
  const end = Math.min(bytes.readUInt32BE(0), bytes.length);
  const major = bytes.toString('latin1', 8, 12);
  if (major !== 'mif1' && major !== 'msf1') return false;
  for (let at = 16; at + 4 <= end; at += 4) {
    const brand = bytes.toString('latin1', at, at + 4);
    if (brand === 'avif' || brand === 'avis') return true;
  }
  return false;
}

/**
 * TIFF and BigTIFF headers in both byte orders. A check of the first directory excludes other files with the same
 * header, such as camera raw files.
 */
const TIFF_HEADERS = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].map((header) => Buffer.from(header, 'latin1'));

/**
 * Returns the type of a file by its content, never by its name, without decoding it.
 * @param head the first `DETECT_BYTES` bytes of the file, or all of it
 */
export async function detectMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  const found = await fileTypeFromBuffer(head.subarray(0, DETECT_BYTES)).catch(() => undefined);
  if (found && HEIC_BRANDS.includes(found.mime) && isAvif(head)) return 'image/avif';
  if (found && isInputMediaType(found.mime)) return found.mime;
  // A reader without support for animation decodes the first frame as a PNG.
  if (found?.mime === 'image/apng') return 'image/png';
  if (found && HEIC_BRANDS.includes(found.mime)) return 'image/heic';
  if (found === undefined && TIFF_HEADERS.some((header) => Buffer.from(head.subarray(0, 4)).equals(header)))
    return 'image/tiff';
  // PDF readers accept other bytes before the header within the first 1024 bytes.
  return Buffer.from(head.subarray(0, 1024)).includes('%PDF-') ? 'application/pdf' : undefined;
}
