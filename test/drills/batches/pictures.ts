import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { picture } from '../../e2e/files.ts';
import { listenHttp, type LocalServer } from '../../support/local-server.ts';

/** Every 250th input is text instead of a picture, so that it fails. */
export const FAULTY_EVERY = 250;
/** Bytes and pixels of a longest side; uploads have at least 20 kB. */
const [MIN_BYTES, MAX_SIDE] = [25_000, 600];

/** Makes the picture of a number. The same number gives the same bytes, and another number other bytes. */
export type MakePicture = (number: number) => Promise<Buffer>;

/** Serves a picture at each path with a number, and text at some. @param port of an earlier server, whose addresses stay valid */
export async function servePictures(make?: MakePicture, port?: number): Promise<LocalServer> {
  const makePicture = make ?? (await tinyPictures());
  return listenHttp((request, response) => {
    const number = Number(/\d+/.exec(request.url!)![0]);
    if (number % FAULTY_EVERY === FAULTY_EVERY - 1) {
      response.end('This is not a picture. '.repeat(2_000));
      return;
    }
    makePicture(number).then(
      (bytes) => response.end(bytes),
      (error: unknown) => response.destroy(error as Error),
    );
  }, port);
}

/**
 * One picture of 64 × 48 pixels, each time with another comment that fills it up to the least size of an upload. It is dark,
 * so that the engine changes it and charges for it.
 */
async function tinyPictures(): Promise<MakePicture> {
  const jpeg = await picture(64, 48).linear(0.4, 0).jpeg({ quality: 95 }).toBuffer();
  return async (number) => {
    // A comment (marker FFFE) after the start of the image (FFD8) makes other bytes.
    const comment = Buffer.alloc(2 + MIN_BYTES);
    comment.writeUInt16BE(0xff_fe);
    comment.writeUInt16BE(MIN_BYTES, 2);
    comment.writeUInt32BE(number, 4);
    return Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)]);
  };
}

/**
 * Variations of the photographs in a folder: other crops, sizes, qualities and formats. Files that cannot be read, and small
 * ones, are left out.
 */
export async function variationsOf(folder: string): Promise<MakePicture> {
  const sources: Buffer[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const bytes = await readFile(join(folder, name));
    const some = await Promise.all([0, 1, 2, 3, 4].map((variation) => vary(bytes, variation))).catch(() => []);
    if (some.length > 0 && some.every(({ length }) => length >= MIN_BYTES)) sources.push(bytes);
  }
  if (sources.length === 0) throw new Error(`Expected a folder with photographs, but ${folder} has none.`);
  return (number) => vary(sources[number % sources.length]!, Math.floor(number / sources.length));
}

/** The share of each variation is spread over its range by the golden ratio, which repeats no value. */
async function vary(source: Buffer, variation: number): Promise<Buffer> {
  const part = (variation * 0.618_034) % 1;
  const { width, height } = await sharp(source).metadata();
  const [w, h] = [width, height].map((side) => Math.round(side * (0.7 + 0.3 * part))) as [number, number];
  const crop = {
    left: Math.round((width - w) * part),
    top: Math.round((height - h) * (1 - part)),
    width: w,
    height: h,
  };
  const side = Math.round(MAX_SIDE * (0.7 + 0.3 * part));
  const varied = sharp(source).extract(crop).flatten().toColourspace('srgb').resize(side, side, { fit: 'inside' });
  const encoded =
    variation % 5 === 4 ? varied.webp({ quality: 90 }) : varied.jpeg({ quality: 85 + Math.round(12 * part) });
  const bytes = await encoded.toBuffer();
  return bytes.length < MIN_BYTES ? varied.png().toBuffer() : bytes;
}
