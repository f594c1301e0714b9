import { pipeline } from 'node:stream/promises';
import { constants, createDeflate, inflateSync, type ZlibOptions } from 'node:zlib';
import { readPngChunks } from '../../image/codecs/png-chunks.ts';
import type { Picture } from '../../image/picture.ts';
import type { OnPart } from '../../image/progress.ts';
import { openPicture } from './open-jpeg.ts';
import { packSamples } from './unpack-samples.ts';

/** Up to this number of pixels, the encoder tries several codings and keeps the smallest. */
export const THOROUGH_PIXELS = 8_000_000;
/** Pixels that are coded between two reports of progress. */
const BAND_PIXELS = 8_000_000;
/** For few colours and flat areas, where time matters less than size. */
const SMALLEST = { level: 9, memLevel: 9 };

/**
 * Deflates rows with PNG filters: the IDAT chunks of a PNG, which FlateDecode reads with predictor 15.
 * @param picture grey or RGB, of 8 or 16 bits
 */
export async function deflatePredicted(picture: Picture, onPart?: OnPart): Promise<Buffer> {
  if (picture.width * picture.height > THOROUGH_PIXELS) {
    const options = { level: 6, strategy: constants.Z_FILTERED };
    return deflateChunks(filteredBands(picture, onPart), options);
  }
  const filtered = await extractImageData(picture, 9, true);
  const plain = await extractImageData(picture, 9, false);
  return plain.length < filtered.length ? plain : filtered;
}

/** Deflates rows of samples as they are, for any number of channels. */
export function deflateSamples(picture: Picture, onPart?: OnPart): Promise<Buffer> {
  return deflateChunks(codedBands(picture, bigEndian, onPart), SMALLEST);
}

/**
 * Deflates samples of 1, 2, 4 or 8 bits; rows are padded to bytes.
 * @param picture of one channel
 * @param toValue the value of a sample, below 2 to the power of `bits`
 */
export function deflatePacked(
  picture: Picture,
  bits: 1 | 2 | 4 | 8,
  toValue: (sample: number) => number,
  onPart?: OnPart,
): Promise<Buffer> {
  const pack = (band: Picture): Buffer => packSamples(band, bits, (at) => toValue(band.data[at]!));
  return deflateChunks(codedBands(picture, pack, onPart), SMALLEST);
}

/** Deflates one chunk after the other into one stream of zlib, in threads besides the main one. */
async function deflateChunks(chunks: Iterable<Buffer> | AsyncIterable<Buffer>, options: ZlibOptions): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(chunks, createDeflate(options), async (deflated: AsyncIterable<Buffer>) => {
    for await (const part of deflated) parts.push(part);
  });
  return Buffer.concat(parts);
}

/**
 * Filters a large picture in bands. A filter needs the row above, so each band begins with the last row of the band before,
 * which does not belong to the result.
 */
async function* filteredBands(picture: Picture, onPart: OnPart): AsyncGenerator<Buffer> {
  const { width, height, channels, data } = picture;
  const filteredRow = 1 + width * channels * data.BYTES_PER_ELEMENT;
  for (const { top, bottom } of bandsOf(picture)) {
    const above = top === 0 ? 0 : 1;
    // Level 0 stores the filtered rows.
    const stored = await extractImageData(cutRows(picture, top - above, bottom), 0, true);
    onPart?.(top / height);
    yield inflateSync(stored).subarray(above * filteredRow);
  }
}

function* codedBands(picture: Picture, code: (band: Picture) => Buffer, onPart: OnPart): Generator<Buffer> {
  for (const { top, bottom } of bandsOf(picture)) {
    onPart?.(top / picture.height);
    yield code(cutRows(picture, top, bottom));
  }
}

function* bandsOf({ width, height }: Picture): Generator<{ top: number; bottom: number }> {
  const rows = Math.max(1, Math.floor(BAND_PIXELS / width));
  for (let top = 0; top < height; top += rows) yield { top, bottom: Math.min(height, top + rows) };
}

function cutRows(picture: Picture, top: number, bottom: number): Picture {
  const rowLength = picture.width * picture.channels;
  return { ...picture, height: bottom - top, data: picture.data.subarray(top * rowLength, bottom * rowLength) };
}

async function extractImageData(
  picture: Picture,
  compressionLevel: number,
  adaptiveFiltering: boolean,
): Promise<Buffer> {
  const png = await openPicture(picture).png({ compressionLevel, adaptiveFiltering, palette: false }).toBuffer();
  return Buffer.concat([...readPngChunks(png)].flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])));
}

function bigEndian({ data }: Picture): Buffer {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return data instanceof Uint16Array ? Buffer.from(bytes).swap16() : bytes;
}
