import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EngineError } from '@burnish/contract/engine';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { decoderFailure, encoderFailure } from '../src/image/codecs/sharp.ts';
import { previewImage } from '../src/image/preview.ts';
import { describeError } from '../src/tasks/describe-error.ts';

const execute = promisify(execFile);
const folder = await temporaryFolder();
const path = (name: string): string => join(folder.path, name);
const SIDE = 4_000;
const FORMATS = ['jpeg', 'png', 'tiff', 'webp'] as const;

beforeAll(async () => {
  const picture = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: '#468' } });
  await sharp({ create: { width: 40, height: 40, channels: 3, background: '#468' } })
    .png()
    .toFile(path('small.png'));
  for (const format of FORMATS)
    await picture
      .clone()
      .toFormat(format)
      .toFile(path(`sound.${format}`));
}, 60_000);
afterAll(() => folder[Symbol.asyncDispose]());

describe('without memory', () => {
  /** Runs a program that may have 4 MB more data than it has after its first small picture. */
  async function run(work: string): Promise<unknown> {
    const source = (name: string): string => JSON.stringify(join(import.meta.dirname, '..', 'src', name));
    const program = `
      import { execFileSync } from 'node:child_process';
      import { readFileSync } from 'node:fs';
      const { decoderFailure, openImage } = await import(${source('image/codecs/sharp.ts')});
      const { describeError } = await import(${source('tasks/describe-error.ts')});
      await openImage(${JSON.stringify(path('small.png'))}).raw().toBuffer();
      const data = Number(/VmData:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
      execFileSync('prlimit', ['--pid', String(process.pid), '--data=' + (data + 4_000) * 1024]);
      try {
        ${work}
        process.stdout.write('{}');
      } catch (error) {
        process.stdout.write(JSON.stringify(describeError(decoderFailure(error)) ?? { unknown: String(error) }));
      }`;
    const { stdout } = await execute(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program]);
    return JSON.parse(stdout);
  }
  const lack = { code: 'PROCESSING_LIMIT', detail: 'The file needs more memory than the limit.' };

  test.each(FORMATS)('a sound file is not called damaged (%s)', async (format) => {
    expect(await run(`await openImage(${JSON.stringify(path(`sound.${format}`))}).raw().toBuffer();`)).toEqual(lack);
  });
});

describe('a file that cannot be read is not damaged', () => {
  test('when it is away', async () => {
    const work = previewImage({ inputPath: path('nothing.png'), outputPath: path('out.webp'), side: 100 });
    await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('when the decoder alone cannot open it', async () => {
    const error: unknown = await sharp(path('gone.png'))
      .metadata()
      .catch((reason: unknown) => reason);
    expect(decoderFailure(error)).toMatchObject({ code: 'UNAVAILABLE' });
  });
});

test('a fault of the machine anywhere in a task is described as one', () => {
  const reading = Object.assign(new Error('read'), { code: 'EIO' });
  expect(describeError(reading)).toMatchObject({ code: 'UNAVAILABLE' });
  expect(describeError(new RangeError('Array buffer allocation failed'))).toMatchObject({ code: 'PROCESSING_LIMIT' });
  expect(describeError(new TypeError('x is not a function'))).toBeUndefined();
  expect(encoderFailure(new Error('vips_tracked: out of memory -- size == 85MB'))).toMatchObject({
    code: 'PROCESSING_LIMIT',
  });
});

test('a word of the file that holds a code by chance is no fault of the machine', () => {
  expect(decoderFailure(new Error('heif: Invalid input: videio'))).toMatchObject({ code: 'CORRUPT_FILE' });
  expect(decoderFailure(new EngineError('SIGNED_PDF'))).toMatchObject({ code: 'SIGNED_PDF' });
});
