import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { resolveImageParameters } from '@burnish/contract/engine';
import type { Picture } from '../../src/image/picture.ts';
import { enhanceWithFacts } from '../../src/image/enhance.ts';
import { inspectImage } from '../../src/image/inspect.ts';
import { verifyImage } from '../../src/image/verify.ts';
import { asSharp, scratchFolder } from '../support/files.ts';
import { randomNumbers, syntheticPhotograph } from '../support/photograph.ts';

const scratch = await scratchFolder();
const [WIDTH, HEIGHT] = [640, 480];
const photograph = syntheticPhotograph(WIDTH, HEIGHT);

/** Start and end of the coded pixels of the first scan, and of the file's end marker. */
function scanOf(jpeg: Buffer): { start: number; end: number } {
  const at = jpeg.indexOf(Buffer.from([0xff, 0xda]));
  return { start: at + 2 + jpeg.readUInt16BE(at + 2), end: jpeg.length - 2 };
}

/** A JPEG with a restart marker after each row of blocks: each row is a JPEG of its own, whose coded pixels are joined. */
async function withRestarts({ data, channels }: Picture): Promise<Buffer> {
  const rows = await Promise.all(
    Array.from({ length: HEIGHT / 16 }, (_, row) => {
      const size = WIDTH * 16 * channels;
      const strip = { data: data.subarray(row * size, (row + 1) * size), width: WIDTH, height: 16, channels };
      return asSharp(strip as Picture)
        .jpeg({ optimiseCoding: false })
        .toBuffer();
    }),
  );
  const coded = rows.flatMap((row, i) => {
    const { start, end } = scanOf(row);
    return i === 0 ? [row.subarray(start, end)] : [Buffer.from([0xff, 0xd0 + ((i - 1) % 8)]), row.subarray(start, end)];
  });
  const head = Buffer.from(rows[0]!.subarray(0, scanOf(rows[0]!).start));
  head.writeUInt16BE(HEIGHT, head.indexOf(Buffer.from([0xff, 0xc0])) + 5);
  const interval = Buffer.from([0xff, 0xdd, 0, 4, 0, WIDTH / 16]);
  return Buffer.concat([head.subarray(0, 2), interval, head.subarray(2), ...coded, Buffer.from([0xff, 0xd9])]);
}

const FORMS: Record<string, () => Promise<Buffer>> = {
  'a baseline JPEG': () => asSharp(photograph).jpeg({ quality: 90 }).toBuffer(),
  'a progressive JPEG': () => asSharp(photograph).jpeg({ quality: 90, progressive: true }).toBuffer(),
  'a JPEG with restart markers': () => withRestarts(photograph),
  'a lossy WebP': () => asSharp(photograph).webp({ quality: 90 }).toBuffer(),
  'an AVIF': () => asSharp(photograph).avif({ quality: 80, effort: 2 }).toBuffer(),
  'a PNG': () => asSharp(photograph).png().toBuffer(),
  'a TIFF with LZW': () => asSharp(photograph).tiff({ compression: 'lzw' }).toBuffer(),
};

/** Inspects a file, and inspects it with its enhancement: both ways find the same. */
async function inspect(bytes: Uint8Array) {
  const inputPath = scratch('file');
  await writeFile(inputPath, bytes);
  const parameters = resolveImageParameters({ mode: 'OFF', noiseReductionProfilingMode: 'OFF' });
  const [facts, enhanced] = await Promise.allSettled([
    inspectImage(inputPath),
    enhanceWithFacts({ inputPath, outputPath: scratch('result'), parameters }),
  ]);
  if (facts.status === 'rejected') {
    expect(enhanced).toEqual(facts);
    throw facts.reason;
  }
  expect(enhanced).toMatchObject({ value: { facts: facts.value } });
  return facts.value;
}

const refused = { code: 'CORRUPT_FILE' };

describe.each(Object.entries(FORMS))('%s', (_, make) => {
  test('is accepted whole', async () => {
    expect(await inspect(await make())).toMatchObject({ width: WIDTH, height: HEIGHT, notes: [] });
  });

  test.each([1, 2, 3, 4, 5, 6])('is refused with 2,000 other bytes in its middle (seed %i)', async (seed) => {
    const bytes = Buffer.from(await make());
    const random = randomNumbers(seed);
    const start = Math.floor(bytes.length * (0.3 + 0.4 * random()));
    for (let at = start; at < start + 2_000; at += 1) bytes[at] = random() * 256;
    await expect(inspect(bytes)).rejects.toMatchObject(refused);
  });
});

test.each(['a baseline JPEG', 'a progressive JPEG', 'a JPEG with restart markers'])(
  '%s is refused with filler in its middle, and accepted with further bytes after its end',
  async (form) => {
    const whole = await FORMS[form]!();
    const quarter = Math.floor(whole.length / 4);
    const filled = Buffer.from(whole).fill(0x20, quarter, 3 * quarter);
    await expect(inspect(filled)).rejects.toMatchObject({
      ...refused,
      message: 'The file is damaged: a part of its pixels is lost.',
    });
    expect(await inspect(Buffer.concat([whole, Buffer.from('a trailer')]))).toMatchObject({ width: WIDTH });
  },
);

test.each([0x00, 0xff])('a progressive JPEG is accepted with padding of 0x%i before its end marker', async (filler) => {
  const whole = await FORMS['a progressive JPEG']!();
  const padded = Buffer.concat([whole.subarray(0, -2), Buffer.alloc(500, filler), whole.subarray(-2)]);
  expect(await inspect(padded)).toMatchObject({ width: WIDTH, height: HEIGHT });
});

describe('a lossy WebP', () => {
  const withChunks = async () =>
    await asSharp(photograph)
      .ensureAlpha(0.5)
      .keepMetadata()
      .withExif({ IFD0: { Copyright: 'x' } })
      .webp()
      .toBuffer();

  test('is accepted with alpha and metadata, at each quality and effort', async () => {
    const forms = [1, 50, 100].flatMap((quality) => [0, 4].map((effort) => ({ quality, effort })));
    const files = await Promise.all(forms.map((form) => asSharp(photograph).webp(form).toBuffer()));
    for (const file of [...files, await withChunks()]) expect(await inspect(file)).toMatchObject({ width: WIDTH });
  });

  test('is refused with other bytes before alpha and metadata', async () => {
    const bytes = await withChunks();
    const at = bytes.indexOf('VP8 ', 0, 'latin1');
    bytes.fill(0x20, at + 3_000, at + 5_000);
    await expect(inspect(bytes)).rejects.toMatchObject(refused);
  });

  test('is accepted with padding after its pixels', async () => {
    const whole = await asSharp(photograph).webp().toBuffer();
    const padded = Buffer.concat([whole, Buffer.alloc(200)]);
    padded.writeUInt32LE(whole.readUInt32LE(4) + 200, 4);
    padded.writeUInt32LE(whole.readUInt32LE(16) + 200, 16);
    expect(await inspect(padded)).toMatchObject({ width: WIDTH });
  });
});

test('a PNG with a wrong checksum of its pixels is refused', async () => {
  const png = await FORMS['a PNG']!();
  const at = png.indexOf('IDAT', 0, 'latin1');
  const checksum = at + 4 + png.readUInt32BE(at - 4);
  png[checksum]! ^= 1;
  await expect(inspect(png)).rejects.toMatchObject(refused);
});

test('a result with replaced pixels is measured: its damage is no fault of the original', async () => {
  const [originalPath, resultPath] = [scratch('original'), scratch('damaged')];
  const whole = await FORMS['a baseline JPEG']!();
  const damaged = Buffer.from(whole).fill(0x20, whole.length >> 2, whole.length >> 1);
  await Promise.all([writeFile(originalPath, whole), writeFile(resultPath, damaged)]);
  expect((await verifyImage({ originalPath, resultPath })).psnr).toBeLessThan(30);
});
