import sharp from 'sharp';
import type { Picture } from '../../src/image/picture.ts';

/** Reads the first frame of a file as RGB or RGBA of 8 bits, with the values as stored. */
export async function readRgb(path: string | Buffer): Promise<Picture> {
  const { data, info } = await sharp(path, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { data: Uint8Array.from(data), width, height, channels, space: 'rgb', hasAlpha: channels === 4 };
}
