import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { encode, jpegCoding } from '../../src/image/codecs/output-formats.ts';
import type { Picture } from '../../src/image/picture.ts';
import { scratchFolder } from '../support/files.ts';

const scratch = await scratchFolder();
const BARE = { icc: undefined, exif: undefined, xmp: undefined, density: undefined };

/** Bytes of the Huffman tables of a JPEG. The standard ones, of ITU-T T.81 annex K, take 420 for colour. */
function huffmanBytes(jpeg: Buffer): number {
  let sum = 0;
  // Markers up to the start of the scan (FFDA), each with its length.
  for (let at = 2; jpeg[at + 1] !== 0xda; at += 2 + jpeg.readUInt16BE(at + 2))
    if (jpeg[at + 1] === 0xc4) sum += jpeg.readUInt16BE(at + 2) - 2;
  return sum;
}

async function coded(width: number, height: number): Promise<Buffer> {
  const data = new Uint8Array(width * height * 3).fill(200);
  const picture: Picture = { data, width, height, channels: 3, space: 'rgb', hasAlpha: false };
  const path = scratch(`${width}.jpg`);
  await encode(picture, path, { format: 'JPEG', jpeg: jpegCoding(undefined, 90), metadata: BARE });
  return readFile(path);
}

test('A JPEG above 64 megapixels has the standard Huffman tables: its own would need 6 bytes of memory a pixel.', async () => {
  const [small, large] = [await coded(640, 400), await coded(8_010, 8_000)];
  expect(huffmanBytes(small)).toBeLessThan(200);
  expect(huffmanBytes(large)).toBeGreaterThanOrEqual(416);
  const { width, height } = await sharp(large, { limitInputPixels: false }).metadata();
  expect([width, height]).toEqual([8_010, 8_000]);
});

test('A picture that an encoder refuses is no fault of the file.', async () => {
  // JPEG has at most 65,535 pixels a side, and orders of larger ones are refused before the work.
  await expect(coded(65_600, 1)).rejects.toMatchObject({ code: 'INTERNAL' });
});
