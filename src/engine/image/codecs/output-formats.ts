import type { Sharp } from 'sharp';
import type { OutputFormat } from '../../../domain/upload/media.ts';
import { MAX_AVIF_PIXELS, MAX_AVIF_SIDE, MAX_JPEG_SIDE, MAX_OUTPUT_PIXELS, MAX_WEBP_SIDE } from '../../limits.ts';
import type { Insertion, Metadata } from '../metadata/metadata.ts';
import { jpegSegments } from './jpeg.ts';
import { pngChunks } from './png-chunks.ts';
import { appendTiffTags } from './tiff-tags.ts';
import { appendWebpChunks, webpHead } from './webp-chunks.ts';

/** Chroma and quality of a JPEG. */
export interface JpegCoding {
  /** 1 to 100 */
  quality: number;
  chromaSubsampling: '4:2:0' | '4:4:4';
}

/** What a format can hold, and how a picture becomes a file of it. The compiler asks for every field of a new format. */
export interface OutputCodec {
  holdsAlpha: boolean;
  /** Samples of 16 bits */
  holds16Bits: boolean;
  holdsCmyk: boolean;
  /** EXIF moves to other offsets, so its MakerNote has to be left out */
  movesExif: boolean;
  /** The chunks cICP, gAMA and cHRM */
  holdsPngColour: boolean;
  /** Longest side in pixels */
  maxSide: number;
  maxPixels: number;
  /** Sets the encoder. @param density dots per inch, where the picture has one */
  encode(image: Sharp, jpeg: JpegCoding, density: number | undefined): Sharp;
  /** Places profile, EXIF and XMP near the head of the encoded file. @param head its first 4,096 bytes */
  insert?(head: Uint8Array, metadata: Metadata): Insertion;
  /** Appends them to the file at `path` instead */
  append?(path: string, metadata: Metadata): Promise<void>;
  /** A format whose encoder takes metadata from its input: the picture becomes a file of this format first, with metadata */
  by?: OutputFormat;
}

export const OUTPUT_CODECS: Record<OutputFormat, OutputCodec> = {
  JPEG: {
    holdsAlpha: false,
    holds16Bits: false,
    holdsCmyk: true,
    movesExif: false,
    holdsPngColour: false,
    maxSide: MAX_JPEG_SIDE,
    maxPixels: MAX_OUTPUT_PIXELS,
    encode: (image, jpeg) => image.jpeg({ ...jpeg, optimiseCoding: true }),
    insert: jpegSegments,
  },
  PNG: {
    holdsAlpha: true,
    holds16Bits: true,
    holdsCmyk: false,
    movesExif: false,
    holdsPngColour: true,
    maxSide: Number.POSITIVE_INFINITY,
    maxPixels: MAX_OUTPUT_PIXELS,
    encode: (image) => image.png({ compressionLevel: 6 }),
    insert: pngChunks,
  },
  TIFF: {
    holdsAlpha: true,
    holds16Bits: true,
    holdsCmyk: true,
    movesExif: true,
    holdsPngColour: false,
    maxSide: Number.POSITIVE_INFINITY,
    maxPixels: MAX_OUTPUT_PIXELS,
    encode: (image, _, density) => image.tiff({ compression: 'lzw', predictor: 'horizontal', ...resolution(density) }),
    append: appendTiffTags,
  },
  AVIF: {
    holdsAlpha: true,
    holds16Bits: false,
    holdsCmyk: false,
    movesExif: false,
    holdsPngColour: false,
    maxSide: MAX_AVIF_SIDE,
    maxPixels: MAX_AVIF_PIXELS,
    // Two of nine steps of effort: each further one costs much time and saves few bytes.
    encode: (image, { quality, chromaSubsampling }) => image.avif({ quality, chromaSubsampling, effort: 2 }),
    by: 'PNG',
  },
  WEBP: {
    holdsAlpha: true,
    holds16Bits: false,
    holdsCmyk: false,
    movesExif: false,
    holdsPngColour: false,
    maxSide: MAX_WEBP_SIDE,
    maxPixels: MAX_OUTPUT_PIXELS,
    // libwebp halves chroma always; `smartSubsample` keeps the edges of colours.
    encode: (image, { quality, chromaSubsampling }) =>
      image.webp({ quality, smartSubsample: chromaSubsampling === '4:4:4', effort: 4 }),
    insert: webpHead,
    append: appendWebpChunks,
  },
};

function resolution(density: number | undefined): { xres?: number; yres?: number; resolutionUnit?: 'inch' } {
  if (!density) return {};
  // sharp takes pixels per millimetre.
  return { xres: density / 25.4, yres: density / 25.4, resolutionUnit: 'inch' };
}
