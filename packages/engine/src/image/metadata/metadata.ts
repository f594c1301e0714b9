import { readExifLayout, withResolution, writeShort } from './exif.ts';
import { MAKER_NOTE } from './exif-fields.ts';
import { withHistory, type Making } from './history.ts';

/** Metadata of a file, apart from its pixels. */
export interface Metadata {
  /** Colour profile; without it, the samples of a wide-gamut or CMYK picture represent other colours */
  icc: Uint8Array | undefined;
  exif: Uint8Array | undefined;
  /** XMP packet, UTF-8 */
  xmp: Uint8Array | undefined;
  /** Dots per inch, if the file defines them */
  density: number | undefined;
  pngColour?: Uint8Array | undefined;
}

/** Bytes to insert at an offset, which replace `skip` bytes. */
export interface Insertion {
  at: number;
  skip: number;
  bytes: Uint8Array;
}

/** The picture that metadata describes. */
export interface Described {
  /** Pixels */
  width: number;
  height: number;
  /** Requested pixels per inch; undefined: that of the source */
  dpi: number | undefined;
  making: Making;
}

/**
 * Returns the metadata of the result: all of it, or only the profile and the print size. The profile always stays
 * because it defines the colours. EXIF and XMP are adapted to the new pixels: orientation 1, the new size, no thumbnail
 * of the old picture. XMP says how changed pixels were made. A requested resolution also stands in EXIF, as WebP, AVIF and a JPEG in CMYK have no other field.
 */
export function metadataForResult(metadata: Metadata, keep: boolean, result: Described): Metadata {
  const { width, height, dpi, making } = result;
  const xmp = keep && metadata.xmp ? uprightXmp(metadata.xmp, result) : undefined;
  const exif = keep && metadata.exif ? uprightExif(metadata.exif, width, height) : undefined;
  return {
    ...metadata,
    density: dpi ?? metadata.density,
    exif: dpi === undefined ? exif : withResolution(exif, dpi),
    xmp: keep && making.steps.length > 0 ? withHistory(xmp, making) : xmp,
  };
}

export function bareExif(exif: Uint8Array): Uint8Array {
  return Buffer.from(exif.subarray(0, 6)).equals(Buffer.from('Exif\0\0')) ? exif.subarray(6) : exif;
}

export const hasMakerNote = (exif: Uint8Array | undefined): boolean =>
  exif !== undefined && (readExifLayout(exif)?.entries.has(MAKER_NOTE) ?? false);

const ORIENTATION = 0x0112;
const PIXEL_WIDTH = 0xa002;
const PIXEL_HEIGHT = 0xa003;

/**
 * Returns a copy of the EXIF for an upright picture of the given size; undefined when it is unreadable, so that no
 * wrong values remain.
 */
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

function uprightXmp(xmp: Uint8Array, { width, height, dpi }: Described): Uint8Array {
  const upright = Buffer.from(xmp)
    .toString('utf8')
    .replace(/(tiff:Orientation(?:="|>))[1-8]/g, (_, tag: string) => `${tag}1`)
    .replace(/((?:exif:PixelXDimension|tiff:ImageWidth)(?:="|>))\d+/g, (_, tag: string) => `${tag}${width}`)
    .replace(/((?:exif:PixelYDimension|tiff:ImageLength)(?:="|>))\d+/g, (_, tag: string) => `${tag}${height}`);
  if (dpi === undefined) return Buffer.from(upright);
  const text = upright
    .replace(/(tiff:[XY]Resolution(?:="|>))[\d/]+/g, (_, tag: string) => `${tag}${dpi}/1`)
    .replace(/(tiff:ResolutionUnit(?:="|>))\d/g, (_, tag: string) => `${tag}2`);
  return Buffer.from(text);
}
