import { readFile } from 'node:fs/promises';
import type { Sharp, SharpOptions } from 'sharp';
import { EngineError } from '@burnish/contract/engine';
import { MAX_RAW_BYTES } from '../../limits.ts';
import { emptySamples, type Picture } from '../picture.ts';
import { decodeUndamaged, type Heard } from './reported-damage.ts';
import { decoderFailure, openImage } from './sharp.ts';
import type { ImageSource } from './source.ts';

/**
 * Decodes the first frame upright, in the colours of the file. Profile, grey, CMYK, alpha and 16 bits stay; a palette
 * becomes RGB, and fewer than 8 bits become 8.
 * @param toRgb whether to convert CMYK by its profile, for a format without CMYK; the result has no profile
 * @throws EngineError CORRUPT_FILE, UNSUPPORTED_MEDIA_TYPE, TOO_MANY_PIXELS
 */
export function decode(source: ImageSource, toRgb: boolean): Promise<Picture> {
  return decodeWith(source, toRgb, (read) => read('error', () => undefined));
}

/** The same for a file that may be damaged: one with replaced pixels is refused as CORRUPT_FILE. */
export function decodeOrRefuse(source: ImageSource, toRgb: boolean): Promise<Picture> {
  return decodeWith(source, toRgb, (read) => decodeUndamaged(source, read));
}

/** Reads the file once with sharp. */
type ReadPicture = (failOn: 'warning' | 'error', heard: Heard) => Promise<Picture>;

async function decodeWith(
  source: ImageSource,
  toRgb: boolean,
  run: (read: ReadPicture) => Promise<Picture>,
): Promise<Picture> {
  const { facts } = source;
  assertRawSize(facts.width * facts.height * (facts.bitDepth > 8 ? 2 : 1) * (facts.colourSpace === 'grey' ? 1 : 4));
  if (facts.mimetype === 'image/heic') {
    const { withHeic } = await import('./heic.ts');
    return withHeic(await readFile(source.path), (image) => image.decode());
  }
  if (facts.mimetype === 'image/bmp') {
    const { decodeBmp } = await import('./bmp.ts');
    return decodeBmp(await readFile(source.path));
  }
  if (facts.colourSpace === 'cmyk' && facts.bitDepth > 8) {
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', { detail: 'CMYK with more than 8 bits is not supported.' });
  }
  if (facts.colourSpace === 'cmyk' && facts.hasAlpha) {
    throw new EngineError('UNSUPPORTED_MEDIA_TYPE', { detail: 'CMYK with transparency is not supported.' });
  }
  return run((failOn, heard) =>
    decodeBySharp(source, toRgb, (options) =>
      openImage(source.path, { page: source.page, limitInputPixels: source.maxPixels, failOn, ...options }).on(
        'warning',
        heard,
      ),
    ),
  ).catch((error: unknown) => Promise.reject(decoderFailure(error)));
}

export function assertRawSize(bytes: number): void {
  if (bytes > MAX_RAW_BYTES) {
    throw new EngineError('TOO_MANY_PIXELS', { detail: 'The pixels of the image take more memory than the limit.' });
  }
}

async function decodeBySharp(
  { facts }: ImageSource,
  toRgb: boolean,
  openWith: (options: SharpOptions) => Sharp,
): Promise<Picture> {
  const { colourSpace, hasAlpha } = facts;
  const open = (ignoreIcc: boolean): Sharp => openWith({ ignoreIcc }).autoOrient();
  // libvips expands the 10 and 12 bits of an AVIF to 16.
  const isWide = facts.bitDepth === 16 || (facts.mimetype === 'image/avif' && facts.bitDepth > 8);
  const deep = isWide && colourSpace !== 'cmyk' && colourSpace !== 'other';
  if (colourSpace === 'other' || (colourSpace === 'cmyk' && toRgb))
    return read(open(false).toColourspace('srgb'), 'rgb', hasAlpha, false);
  // Profiles are copied and never applied: the sample values do not change.
  const whole = open(true);
  // The file does not mark this extra channel as alpha.
  const upright = hasAlpha || colourSpace === 'cmyk' ? whole : whole.removeAlpha();
  if (colourSpace === 'cmyk')
    return read(upright.pipelineColourspace('cmyk').toColourspace('cmyk'), 'cmyk', false, false);
  if (colourSpace === 'rgb') return read(upright.toColourspace(deep ? 'rgb16' : 'srgb'), 'rgb', hasAlpha, deep);
  if (deep) return read(upright.toColourspace('grey16'), 'grey', hasAlpha, true);
  if (!hasAlpha) return read(upright.toColourspace('b-w'), 'grey', false, false);
  // The raw output of sharp drops the alpha of 8-bit grey, so the picture is read as RGB.
  return greyOfRgb(await read(upright.toColourspace('srgb'), 'rgb', true, false));
}

async function read(image: Sharp, space: 'grey' | 'rgb' | 'cmyk', hasAlpha: boolean, deep: boolean): Promise<Picture> {
  const { data: bytes, info } = await image
    .raw({ depth: deep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const data = deep
    ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
    : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const { width, height } = info;
  const channels = data.length / width / height;
  const colours = { grey: 1, rgb: 3, cmyk: 4 }[space];
  if (channels === colours || (hasAlpha && channels === colours + 1)) {
    return { data, width, height, channels, space, hasAlpha: channels > colours };
  }
  throw new EngineError('UNSUPPORTED_MEDIA_TYPE', { detail: `An image with ${channels} channels is not supported.` });
}

function greyOfRgb(picture: Picture): Picture {
  const { data, width, height } = picture;
  const grey = emptySamples(picture, width * height * 2);
  for (let from = 0, to = 0; to < grey.length; from += 4, to += 2) {
    grey[to] = data[from]!;
    grey[to + 1] = data[from + 3]!;
  }
  return { data: grey, width, height, channels: 2, space: 'grey', hasAlpha: true };
}
