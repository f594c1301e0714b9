import { open, readFile } from 'node:fs/promises';
import type { Metadata as SharpMetadata } from 'sharp';
import { EngineError, DETECT_BYTES, type MediaType, type FileNote } from '@burnish/contract/engine';
import { detectMediaType } from '../../detect.ts';
import { MAX_FRAMES_COUNTED, MAX_INPUT_PIXELS, MAX_SIDE } from '../../limits.ts';
import { readJpegTables, type JpegTables } from './jpeg.ts';
import { exifBlock } from '../metadata/exif-fields.ts';
import { refuseLoopingExif } from '../metadata/exif-loops.ts';
import { bareExif, type Metadata } from '../metadata/metadata.ts';
import { pngColourChunks, pngFrames } from './png-chunks.ts';
import { decoderFailure, openImage } from './sharp.ts';
import { readTiffDirectory } from './tiff-directory.ts';

export interface ImageFacts {
  mimetype: MediaType;
  /** Pixels, upright */
  width: number;
  height: number;
  /** Frames of an animation, or pages; only the first is enhanced */
  frames: number;
  /** Bits per stored sample: 1, 2, 4, 8, 10, 12, 16 or 32 */
  bitDepth: number;
  /** `other` is a space that needs conversion to RGB, such as Lab */
  colourSpace: 'rgb' | 'grey' | 'cmyk' | 'other';
  hasAlpha: boolean;
  hasProfile: boolean;
  /**
   * EXIF orientation as stored, 1 to 8; always 1 for HEIC and AVIF, since their decoders rotate the picture themselves
   */
  orientation: number;
  notes: FileNote[];
}

/** Facts and header data of a file for the later steps. */
export interface ImageSource {
  path: string;
  /** Index of the decoded page, from 0: a TIFF may begin with a thumbnail */
  page: number;
  /** Limit for the decoder */
  maxPixels: number;
  facts: ImageFacts;
  metadata: Metadata;
  jpeg: JpegTables | undefined;
  /** The EXIF has a MakerNote that the EXIF reader omitted */
  leavesMakerNote: boolean;
}

type HeaderFacts = Omit<ImageSource, 'maxPixels'>;

/**
 * Bytes of the header to read. They contain EXIF, profile and previews, then the tables, and a PNG's number of frames.
 */
const HEADER_BYTES = 4_000_000;

/**
 * Reads the header of an image file without decoding pixels.
 * @param maxPixels by default the limit of originals
 * @throws EngineError UNSUPPORTED_MEDIA_TYPE, TOO_MANY_PIXELS, CORRUPT_FILE
 */
export async function readSource(path: string, maxPixels = MAX_INPUT_PIXELS): Promise<ImageSource> {
  const mimetype = await detectMimetype(path);
  const read = { 'image/heic': readHeicSource, 'image/bmp': readBmpSource }[mimetype as string];
  const source = await (read?.(path) ?? readSharpSource(path, mimetype, maxPixels));
  assertInputSize(source.facts, maxPixels);
  return { ...source, maxPixels };
}

/** Formats whose EXIF the decoder of pixels reads. */
const WITH_EXIF: ReadonlySet<MediaType> = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif']);

/** @throws EngineError UNSUPPORTED_MEDIA_TYPE; CORRUPT_FILE for EXIF that points to itself */
export async function detectMimetype(path: string): Promise<MediaType> {
  const mimetype = await detectMediaType(await readStart(path, DETECT_BYTES));
  if (mimetype === undefined || mimetype === 'application/pdf') {
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', {
      detail: 'The file is not a JPEG, PNG, TIFF, HEIC, WebP, AVIF, GIF or BMP image.',
    });
  }
  if (WITH_EXIF.has(mimetype)) await refuseLoopingExif(path);
  return mimetype;
}

/** @throws EngineError TOO_MANY_PIXELS */
function assertInputSize({ width, height }: { width: number; height: number }, maxPixels = MAX_INPUT_PIXELS): void {
  if (width * height > maxPixels || Math.max(width, height) > MAX_SIDE) {
    const detail = `The image has ${width} × ${height} pixels; at most ${maxPixels / 1e6} million are allowed.`;
    throw new EngineError('TOO_MANY_PIXELS', { detail });
  }
  if (width < 1 || height < 1) throw new EngineError('CORRUPT_FILE');
}

async function readSharpSource(path: string, mimetype: MediaType, maxPixels: number): Promise<HeaderFacts> {
  const tiff = mimetype === 'image/tiff' ? await readTiffDirectory(path) : undefined;
  const avif = mimetype === 'image/avif' ? await readStart(path, HEADER_BYTES) : undefined;
  if (avif) assertStill(avif);
  const page = tiff?.page ?? 0;
  const meta = await openImage(path, { page, limitInputPixels: maxPixels })
    .metadata()
    .catch((error: unknown) => Promise.reject(decoderFailure(error)));
  assertSamples(meta);
  const png = mimetype === 'image/png' ? await readStart(path, HEADER_BYTES) : undefined;
  const jpeg = mimetype === 'image/jpeg' ? await readStart(path, HEADER_BYTES) : undefined;
  const pages = png ? pngFrames(png) : (meta.pages ?? 1);
  const frames = Math.min(pages, MAX_FRAMES_COUNTED);
  const orientation = meta.orientation ?? 1;
  const turned = orientation >= 5;
  const pixelHeight = meta.pageHeight ?? meta.height;
  const density = tiff?.hasUnit === false ? undefined : meta.density;
  return {
    path,
    page,
    facts: {
      mimetype,
      width: turned ? pixelHeight : meta.width,
      height: turned ? meta.width : pixelHeight,
      frames,
      bitDepth: bitDepth(meta),
      colourSpace: colourSpace(meta),
      hasAlpha: meta.hasAlpha && (tiff?.extraIsAlpha ?? true),
      hasProfile: meta.icc !== undefined,
      orientation,
      notes: [
        ...(page === 0 ? frameNotes(mimetype, frames) : [{ code: 'THUMBNAIL_SKIPPED' } as const]),
        ...furtherNotes(jpeg ?? avif),
      ],
    },
    metadata: {
      icc: meta.icc,
      exif: tiff ? tiff.exif && exifBlock(tiff.exif) : meta.exif && bareExif(meta.exif),
      xmp: meta.xmp,
      density,
      pngColour: png && pngColourChunks(png),
    },
    jpeg: jpeg && readJpegTables(jpeg),
    leavesMakerNote: tiff?.exif?.hasMakerNote ?? false,
  };
}

/**
 * Accepts integer samples from black to white, and floating point in linear light. TIFF allows other samples without a
 * defined black and white.
 * @throws EngineError UNSUPPORTED_MEDIA_TYPE
 */
function assertSamples({ depth, space }: SharpMetadata): void {
  if (depth === 'uchar' || depth === 'ushort' || space === 'scrgb') return;
  const detail = 'An image whose samples are signed, or have 32 bits without being linear light, is not supported.';
  throw new EngineError('UNSUPPORTED_MEDIA_TYPE', { detail });
}

/**
 * Refuses an image sequence: the major brand `avis` (AV1 Image File Format, section 6.3). libvips cannot read one.
 * @throws EngineError UNSUPPORTED_MEDIA_TYPE
 */
function assertStill(head: Uint8Array): void {
  if (Buffer.from(head.subarray(8, 12)).toString('latin1') !== 'avis') return;
  const detail = 'An animated AVIF is not supported. Send one of its frames, or an animated WebP or GIF.';
  throw new EngineError('UNSUPPORTED_MEDIA_TYPE', { detail });
}

async function readHeicSource(path: string): Promise<HeaderFacts> {
  const { withHeic } = await import('./heic.ts');
  const file = await readFile(path);
  return withHeic(file, ({ width, height, hasAlpha, bitDepth, frames, icc, exif, xmp }) => ({
    path,
    page: 0,
    facts: {
      mimetype: 'image/heic',
      width,
      height,
      frames,
      bitDepth,
      colourSpace: 'rgb',
      hasAlpha,
      hasProfile: icc !== undefined,
      orientation: 1,
      notes: [...frameNotes('image/heic', frames), ...furtherNotes(file.subarray(0, HEADER_BYTES))],
    },
    metadata: { icc, exif, xmp, density: undefined },
    jpeg: undefined,
    leavesMakerNote: false,
  }));
}

async function readBmpSource(path: string): Promise<HeaderFacts> {
  const { readBmpHeader } = await import('./bmp.ts');
  const { width, height, bits, hasAlpha, density } = readBmpHeader(await readFile(path));
  return {
    path,
    page: 0,
    facts: {
      mimetype: 'image/bmp',
      width,
      height,
      frames: 1,
      bitDepth: Math.min(bits, 8),
      colourSpace: 'rgb',
      hasAlpha,
      hasProfile: false,
      orientation: 1,
      notes: [],
    },
    metadata: { icc: undefined, exif: undefined, xmp: undefined, density },
    jpeg: undefined,
    leavesMakerNote: false,
  };
}

/** Notes shown before any payment: the result has less content than the file. */
function furtherNotes(head: Uint8Array | undefined): FileNote[] {
  const further = head && furtherPictures(head);
  if (further === undefined) return [];
  return [{ code: further === 'gain map' ? 'GAIN_MAP_REMOVED' : 'FURTHER_PICTURES_IGNORED' }];
}

function frameNotes(mimetype: MediaType, frames: number): FileNote[] {
  if (frames <= 1) return [];
  if (mimetype === 'image/tiff') return [{ code: 'FIRST_PAGE_USED', pages: frames }];
  if (mimetype === 'image/heic') return [{ code: 'PRIMARY_PICTURE_USED', pictures: frames }];
  return [{ code: 'FIRST_FRAME_USED', frames }];
}

function colourSpace({ space }: SharpMetadata): ImageFacts['colourSpace'] {
  if (space === 'srgb' || space === 'rgb' || space === 'rgb16') return 'rgb';
  if (space === 'b-w' || space === 'grey16') return 'grey';
  return space === 'cmyk' ? 'cmyk' : 'other';
}

function bitDepth({ bitsPerSample, depth }: SharpMetadata): number {
  return bitsPerSample ?? { uchar: 8, ushort: 16 }[depth as string] ?? 32;
}

async function readStart(path: string, bytes: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const length = Math.min(bytes, (await file.stat()).size);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Returns whether a JPEG, HEIC or AVIF contains pictures besides the one that decoders show. These are a gain map for bright
 * screens (ISO 21496-1, Ultra HDR 1.1, Apple) or others of the Multi-Picture Format (CIPA DC-007). Only the main one is enhanced.
 * @param head the beginning of the file, at least up to the pixels
 */
function furtherPictures(head: Uint8Array): 'gain map' | 'pictures' | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  if (text.toString('latin1', 4, 8) === 'ftyp') return hasGainMapItem(text) ? 'gain map' : undefined;
  const end = text.indexOf(START_OF_SCAN);
  const segments = end < 0 ? text : text.subarray(0, end);
  if (GAIN_MAPS.some((sign) => segments.includes(sign))) return 'gain map';
  return segments.includes('MPF\0') ? 'pictures' : undefined;
}

const START_OF_SCAN = Buffer.from([0xff, 0xda, 0x00, 0x0c]);
/** Namespaces of Ultra HDR and of Apple, and the name of the segment defined by the standard. */
const GAIN_MAPS = ['http://ns.adobe.com/hdr-gain-map/1.0/', 'HDRGainMap', 'urn:iso:std:iso:ts:21496:-1'];
/** Type of an auxiliary image of Apple, in the box `auxC` (ISO/IEC 23008-12, 6.5.8). */
const GAIN_MAP_TYPE = 'urn:com:apple:photo:2020:aux:hdrgainmap';
/** Bytes from the type of the box `infe` to the type of its item, in version 2 (ISO/IEC 14496-12, 8.11.6). */
const TO_ITEM_TYPE = 12;

/** Returns whether the box `meta` of a HEIF file describes a gain map: an auxiliary image, or an item `tmap` (ISO 21496-1). */
function hasGainMapItem(head: Buffer): boolean {
  const at = head.indexOf('meta', 0, 'latin1');
  if (at < 4) return false;
  const meta = head.subarray(at, at - 4 + head.readUInt32BE(at - 4));
  if (meta.includes(GAIN_MAP_TYPE)) return true;
  for (let entry = meta.indexOf('infe'); entry >= 0; entry = meta.indexOf('infe', entry + 4)) {
    if (meta.toString('latin1', entry + TO_ITEM_TYPE, entry + TO_ITEM_TYPE + 4) === 'tmap') return true;
  }
  return false;
}
