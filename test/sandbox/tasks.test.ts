import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from '@jest/globals';
import { resolveImageParameters, type EnhancementProgress } from '@burnish/contract';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { engineSizing } from '../../packages/engine/src/sizing.ts';
import { asSharp, scratchFolder } from '../../packages/engine/test/support/files.ts';
import { syntheticPhotograph } from '../../packages/engine/test/support/photograph.ts';

const scratch = await scratchFolder();
const sandbox = createSandbox({ concurrency: 1 });
afterAll(() => sandbox.close());

describe('the tasks of the engine in its sandbox', () => {
  test('inspect and enhance an image by their paths, and report progress', async () => {
    await writeFile(scratch('in.jpg'), await asSharp(syntheticPhotograph(300, 200)).jpeg({ quality: 50 }).toBuffer());
    expect(await sandbox.run('inspect-image', { inputPath: scratch('in.jpg') }, { account: 'one' })).toMatchObject({
      width: 300,
      height: 200,
    });

    const told: EnhancementProgress[] = [];
    const parameters = resolveImageParameters({ upscalingFactor: 'X2', artifactsDetectionRemoval: 'AUTO_AI' });
    const input = { inputPath: scratch('in.jpg'), outputPath: scratch('out.jpg'), parameters };
    const result = await sandbox.run('enhance-image', input, {
      account: 'one',
      onProgress: (progress) => told.push(progress),
    });
    expect(result).toMatchObject({ mimetype: 'image/jpeg', width: 600, height: 400 });
    expect(await sharp(scratch('out.jpg')).metadata()).toMatchObject({ width: 600, height: 400 });
    expect([...new Set(told.map(({ step }) => step))]).toEqual(['decode', 'artifacts', 'tone', 'upscale', 'encode']);
    expect(told.map(({ fraction }) => fraction)).toEqual(told.map(({ fraction }) => fraction).sort((a, b) => a - b));
    expect(told.at(-1)!.fraction).toBeLessThanOrEqual(1);
  }, 30_000);

  test('fail with the code of the file', async () => {
    await writeFile(scratch('no.jpg'), 'no picture');
    await expect(
      sandbox.run('inspect-image', { inputPath: scratch('no.jpg') }, { account: 'one' }),
    ).rejects.toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    await expect(
      sandbox.run('inspect-image', { inputPath: scratch('nowhere') }, { account: 'one' }),
    ).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  }, 30_000);
});

describe('engineSizing', () => {
  test('gives each child a core within the memory, and at least one child', () => {
    expect(engineSizing(8, 64e9).files.large).toBe(8);
    expect(engineSizing(8, 8e9).files.large).toBe(2);
    expect(engineSizing(4, 1e9).files.large).toBe(1);
  });
});
