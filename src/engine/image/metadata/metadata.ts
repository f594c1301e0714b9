import { readExifLayout, writeShort } from './exif.ts';
import { MAKER_NOTE } from './exif-fields.ts';

/** What a file carries beside its pixels. */
export interface Metadata {
  /** Colour profile; without it the numbers of a wide gamut or CMYK picture mean other colours */
  icc: Uint8Array | undefined;
  /** EXIF from its TIFF header on */
  exif: Uint8Array | undefined;
  /** XMP packet, UTF-8 */
  xmp: Uint8Array | undefined;
  /** Dots per inch, where the file says */
  density: number | undefined;
  /** Chunks of a PNG that say in other ways than a profile what its numbers mean */
  pngColour?: Uint8Array | undefined;
}

/** Bytes to put in at an offset in place of `skip` bytes. */
export interface Insertion {
  at: number;
  skip: number;
  bytes: Uint8Array;
}

/**
 * Metadata of the result: everything, or without EXIF and XMP only the profile, which decides the colours, and
 * how large it prints. EXIF and XMP are brought into line with the new pixels: orientation 1, the new size, no thumbnail
 * of the old picture.
 */
export function metadataForResult(metadata: Metadata, keep: boolean, width: number, height: number): Metadata {
  if (!keep) return { ...metadata, exif: undefined, xmp: undefined };
  return {
    ...metadata,
    exif: metadata.exif && uprightExif(metadata.exif, width, height),
    xmp: metadata.xmp && uprightXmp(metadata.xmp, width, height),
  };
}

/** EXIF without the header that JPEG puts before it. */
export function bareExif(exif: Uint8Array): Uint8Array {
  return Buffer.from(exif.subarray(0, 6)).equals(Buffer.from('Exif\0\0')) ? exif.subarray(6) : exif;
}

/** Whether an EXIF block has notes in a format of the camera's maker. */
export const hasMakerNote = (exif: Uint8Array | undefined): boolean =>
  exif !== undefined && (readExifLayout(exif)?.entries.has(MAKER_NOTE) ?? false);

const ORIENTATION = 0x0112;
const PIXEL_WIDTH = 0xa002;
const PIXEL_HEIGHT = 0xa003;

/** A copy of the EXIF for an upright picture of the given size; undefined when it cannot be read, so that none lies. */
export function uprightExif(exif: Uint8Array, width: number, height: number): Uint8Array | undefined {
  const copy = Uint8Array.from(exif);
  const layout = readExifLayout(copy);
  if (!layout) return undefined;
  writeShort(layout, ORIENTATION, 1);
  writeShort(layout, PIXEL_WIDTH, width);
  writeShort(layout, PIXEL_HEIGHT, height);
  layout.view.setUint32(layout.nextDirectoryAt, 0, layout.littleEndian);
  return copy;
}

/** Orientation and size, as attributes and as elements. */
function uprightXmp(xmp: Uint8Array, width: number, height: number): Uint8Array {
  const text = Buffer.from(xmp)
    .toString('utf8')
    .replace(/(tiff:Orientation(?:="|>))[1-8]/g, (_, tag: string) => `${tag}1`)
    .replace(/((?:exif:PixelXDimension|tiff:ImageWidth)(?:="|>))\d+/g, (_, tag: string) => `${tag}${width}`)
    .replace(/((?:exif:PixelYDimension|tiff:ImageLength)(?:="|>))\d+/g, (_, tag: string) => `${tag}${height}`);
  return Buffer.from(text);
}
