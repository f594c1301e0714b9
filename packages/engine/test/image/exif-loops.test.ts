import { writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from '@jest/globals';
import { inspectImage } from '../../src/image/inspect.ts';
import { openJpeg } from '../../src/pdf/images/open-jpeg.ts';
import { scratchFolder } from '../support/files.ts';

const scratch = await scratchFolder();
const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: '#468' } });
const [EXIF, GPS, INTEROPERABILITY] = [0x8769, 0x8825, 0xa005];

/** EXIF whose directories have fields that point to directories by their number. */
function exif(directories: readonly (readonly (readonly [tag: number, to: number])[])[], little = true): Buffer {
  const short = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
  const long = (value: number): Buffer => Buffer.concat([short(value & 0xffff), short(value >>> 16)]);
  const places = directories.map((_, index) =>
    directories.slice(0, index).reduce((sum, { length }) => sum + 2 + length * 12 + 4, 8),
  );
  const numbers = [
    short(42),
    long(8),
    ...directories.flatMap((fields) => [
      short(fields.length),
      ...fields.flatMap(([tag, to]) => [short(tag), short(4), long(1), long(places[to]!)]),
      long(0),
    ]),
  ];
  const order = Buffer.from(little ? 'II' : 'MM');
  return Buffer.concat([order, ...(little ? numbers : numbers.map((each) => Buffer.from(each).reverse()))]);
}

/** Each field of two directories points to the next directory. The pointers make no loop, but 40 × 40 ways. */
const many = (to: number): [number, number][] => Array.from({ length: 40 }, () => [GPS, to]);
const wide = [many(1), many(2), [[INTEROPERABILITY, 2]]] as const;
/** Two directories that point to each other. */
const loop = [[[EXIF, 1]], [[GPS, 0]]] as const;
/** What a camera writes. */
const usual = [
  [
    [EXIF, 1],
    [GPS, 2],
  ],
  [[INTEROPERABILITY, 3]],
  [],
  [],
] as const;

async function jpegWith(block: Buffer): Promise<Buffer> {
  const file = await plain.clone().jpeg().toBuffer();
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 0]), Buffer.from('Exif\0\0'), block]);
  segment.writeUInt16BE(segment.length - 2, 2);
  return Buffer.concat([file.subarray(0, 2), segment, file.subarray(2)]);
}

async function pngWith(block: Buffer): Promise<Buffer> {
  const file = await plain.clone().png().toBuffer();
  const body = Buffer.concat([Buffer.from('eXIf'), block]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(block.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([file.subarray(0, 33), chunk, file.subarray(33)]);
}

async function inspect(file: Buffer): Promise<unknown> {
  await writeFile(scratch('photo'), file);
  return await inspectImage(scratch('photo'));
}

test.each([
  ['a JPEG with a loop', () => jpegWith(exif(loop))],
  ['a JPEG with a loop, big-endian', () => jpegWith(exif(loop, false))],
  ['a JPEG with more ways than fields', () => jpegWith(exif(wide))],
  ['a PNG with a loop', () => pngWith(exif(loop))],
])('EXIF that a decoder would follow for long is refused: %s', async (_what, make) => {
  await expect(inspect(await make())).rejects.toMatchObject({
    code: 'CORRUPT_FILE',
    message: expect.stringContaining('points to itself'),
  });
});

test('such EXIF is refused in a JPEG of a PDF', async () => {
  const file = await jpegWith(exif(loop));
  expect(() => openJpeg(file)).toThrow('points to itself');
});

test.each([
  ['JPEG', () => jpegWith(exif(usual))],
  ['PNG', () => pngWith(exif(usual, false))],
])('EXIF of a camera is accepted in a %s', async (_format, make) => {
  expect(await inspect(await make())).toMatchObject({ width: 8, height: 8 });
});
