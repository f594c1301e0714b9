import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, test } from '@jest/globals';
import { resolveImageParameters, type EnhancementParameters } from '@burnish/contract/engine';
import { enhanceImage } from '../../src/image/enhance.ts';
import { tryImage } from '../../src/trial/try-image.ts';
import { scratchFolder } from '../support/files.ts';
import { psnr } from '../support/measure.ts';
import { readRgb } from '../support/read-rgb.ts';

const scratch = await scratchFolder();

/** A part of a sample, so that a complete result costs little. */
async function sample(name: string): Promise<string> {
  const path = scratch(`part-of-${name}`);
  await sharp(fileURLToPath(new URL(`../../../../samples/${name}`, import.meta.url)))
    .extract({ left: 40, top: 30, width: 480, height: 360 })
    .jpeg({ quality: 80 })
    .toFile(path);
  return path;
}
const NOISY = await sample('noisy.jpg');
const DARK = await sample('dark-room.jpg');

async function trial(inputPath: string, given: EnhancementParameters[], centre: { x: number; y: number } | null) {
  const outputDir = scratch(`trial-${Math.random()}`);
  await mkdir(outputDir);
  const orders = given.map((each) => resolveImageParameters(each));
  const pictures = [...Array(orders.length + 1).keys()];
  const made = await tryImage({ inputPath, outputDir, pictures, orders, centre });
  const paths = pictures.map((each) => `${outputDir}/${each}`);
  return { ...made, paths, sizes: await Promise.all(paths.map((path) => sharp(path).metadata())) };
}

/** The same area of the complete result. */
async function partOfResult(
  inputPath: string,
  given: EnhancementParameters,
  { left, top }: { left: number; top: number },
  { width, height }: { width: number; height: number },
): Promise<string> {
  const outputPath = scratch('whole.png');
  await enhanceImage({ inputPath, outputPath, parameters: resolveImageParameters({ ...given, outputFormat: 'PNG' }) });
  const whole = await sharp(outputPath).metadata();
  const from = { left: Math.round(left * whole.width), top: Math.round(top * whole.height) };
  await sharp(outputPath)
    .extract({ ...from, width, height })
    .png()
    .toFile(scratch('part.png'));
  return scratch('part.png');
}

describe('a trial of an image', () => {
  test('shows the whole picture within 1,024 pixels, first the original and then each order', async () => {
    const shown = await trial(NOISY, [{ mode: 'OFF' }, { mode: 'VIVID', upscalingFactor: 'X4' }], null);
    expect(shown.area).toEqual({ left: 0, top: 0, width: 1, height: 1 });
    expect(shown.sizes.map(({ format, width, height }) => [format, Math.max(width, height)])).toEqual(
      Array(3).fill(['webp', 480]),
    );
    // Enlarging depends on the scale, so the reduced picture leaves it out.
    expect(shown.tried.map(({ steps }) => steps)).toEqual([[], ['tone']]);
    const [original, off, vivid] = await Promise.all(shown.paths.map((path) => readRgb(path)));
    expect(psnr(original!, off!)).toBeGreaterThan(45);
    expect(psnr(original!, vivid!)).toBeLessThan(30);
  });

  test.each<[string, string, EnhancementParameters]>([
    ['noise', NOISY, { mode: 'OFF', noiseReductionProfilingMode: 'AUTO' }],
    ['artefacts and light', NOISY, { mode: 'ENHANCE', artifactsDetectionRemoval: 'AUTO_AI' }],
    ['a dark room', DARK, { mode: 'ENHANCE', upscalingFactor: 'X2' }],
    ['an exact size', NOISY, { mode: 'OFF', targetWidth: 600 }],
    ['a page', NOISY, { mode: 'DOCUMENT' }],
  ])('shows a part as the result will have it: %s', async (_, file, given) => {
    const { area, paths, sizes, tried } = await trial(file, [given], { x: 0.4, y: 0.6 });
    const { width, height } = sizes[1]!;
    expect(Math.max(width, height)).toBeLessThanOrEqual(512);
    expect(tried[0]!.steps.length > 0).toBe(given.mode !== 'DOCUMENT');
    const [shown, result] = [
      await readRgb(paths[1]!),
      await readRgb(await partOfResult(file, given, area, { width, height })),
    ];
    // The coding of the picture alone costs as much.
    expect(psnr(shown, result)).toBeGreaterThan(32);
  });

  test('shows a part at the edge, and a picture that is smaller than a part', async () => {
    const corner = await trial(NOISY, [{ upscalingFactor: 'X4', engineTier: 'PLAIN' }], { x: 1, y: 0 });
    expect(corner.area.left + corner.area.width).toBeCloseTo(1, 3);
    expect([corner.area.top, corner.sizes[1]!.width]).toEqual([0, 512]);
    await sharp({ create: { width: 40, height: 9, channels: 3, background: '#876' } })
      .png()
      .toFile(scratch('small.png'));
    const small = await trial(scratch('small.png'), [{ upscalingFactor: 'X2' }], { x: 0.5, y: 0.5 });
    expect(small.area).toEqual({ left: 0, top: 0, width: 1, height: 1 });
    expect([small.sizes[1]!.width, small.sizes[1]!.height]).toEqual([80, 18]);
  });

  test('shows inks and transparency', async () => {
    const image = sharp({ create: { width: 300, height: 200, channels: 3, background: '#469' } });
    await image.clone().toColourspace('cmyk').jpeg().toFile(scratch('inks.jpg'));
    await image.clone().ensureAlpha(0.5).png().toFile(scratch('glass.png'));
    for (const [file, alpha] of [
      ['inks.jpg', false],
      ['glass.png', true],
    ] as const) {
      const { sizes } = await trial(scratch(file), [{}], null);
      expect(sizes.map(({ width, hasAlpha, space }) => [width, hasAlpha, space])).toEqual(
        Array(2).fill([300, alpha, 'srgb']),
      );
    }
  });

  test('refuses a file that does not decode', async () => {
    const bytes = await readFile(NOISY);
    await writeFile(scratch('broken.jpg'), bytes.subarray(0, bytes.length / 2));
    await expect(trial(scratch('broken.jpg'), [{}], null)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });
});
