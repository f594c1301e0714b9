import { DamagedImage } from './damaged-image.ts';
import { deflatePacked } from './deflate-rows.ts';
import type { EncodedImage } from './image-encoder.ts';
import { openPicture } from './open-jpeg.ts';
import type { Picture } from '../../image/picture.ts';

/** Maximum rows of one strip of libtiff, the limit of sharp. */
const MAX_STRIP_ROWS = 32_768;

/**
 * Encodes a one-bit image losslessly: as CCITT group 4 or as Flate, whichever is smaller. @param picture one channel of
 * 0 and 255
 */
export async function encodeBilevel(picture: Picture): Promise<EncodedImage> {
  const { width, height } = picture;
  const shape = { width, height, channels: 1, bits: 1, predictor: false, keepsMeaning: true } as const;
  const flate = await deflatePacked(picture, 1, (sample) => (sample === 0 ? 0 : 1));
  const isMostlyLight = count(picture) * 2 > width * height;
  const fax = height <= MAX_STRIP_ROWS ? await faxData(picture, isMostlyLight) : undefined;
  if (fax === undefined || fax.length >= flate.length) return { ...shape, data: flate, filter: 'FlateDecode' };
  return { ...shape, data: fax, filter: 'CCITTFaxDecode', blackIs1: !isMostlyLight };
}

function count({ data }: Picture): number {
  let light = 0;
  for (let i = 0; i < data.length; i += 1) if (data[i] !== 0) light += 1;
  return light;
}

/** Encodes CCITT group 4 data with libtiff. Its white has the shorter codes and represents the more frequent colour. */
async function faxData(picture: Picture, isMostlyLight: boolean): Promise<Buffer> {
  const tiff = await openPicture(picture)
    .negate(isMostlyLight)
    .tiff({ compression: 'ccittfax4', bitdepth: 1, tileHeight: picture.height })
    .toBuffer();
  const [offset, length] = [readEntry(tiff, 273), readEntry(tiff, 279)];
  return tiff.subarray(offset, offset + length);
}

const ENTRY_BYTES = 12;

function readEntry(tiff: Buffer, tag: number): number {
  const directory = tiff.readUInt32LE(4);
  const entries = tiff.readUInt16LE(directory);
  for (let i = 0; i < entries; i += 1) {
    const at = directory + 2 + i * ENTRY_BYTES;
    if (tiff.readUInt16LE(at) === tag && tiff.readUInt32LE(at + 4) === 1) return tiff.readUInt32LE(at + 8);
  }
  throw new DamagedImage(`libtiff wrote no single strip: tag ${tag} is missing`);
}
