import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Failure, resolveImageParameters, type EnhancementParameters } from '@burnish/contract';
import { corpusImages } from './expected.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { testUnless } from '../support/needs.ts';

/** Images that cannot be enhanced, and the code that says so. */
const REFUSED: Record<string, string> = {
  'corrupt-header.jpg': 'CORRUPT_FILE',
  'truncated.jpg': 'CORRUPT_FILE',
  'truncated.png': 'CORRUPT_FILE',
};

const { folder, names } = corpusImages();
/** Where the results stay to be looked at, when it is set. */
const keep = process.env['BURNISH_TEST_CORPUS_OUT'];
const scratch = keep ?? mkdtempSync(join(tmpdir(), 'burnish-corpus-'));
const sandbox = createSandbox({ concurrency: 1 });
afterAll(async () => {
  await sandbox.close();
  if (keep === undefined) rmSync(scratch, { recursive: true });
});

const ORDERS: [string, EnhancementParameters][] = [
  ['untouched', { mode: 'OFF' }],
  ['defaults', {}],
  ['vivid PNG', { mode: 'VIVID', outputFormat: 'PNG', keepMetadata: false, enhanceFaceDetails: 'ENHANCE' }],
  [
    'everything, TIFF',
    {
      mode: 'ENHANCE',
      upscalingFactor: 'X2',
      noiseReductionProfilingMode: 'AUTO',
      artifactsDetectionRemoval: 'AUTO_AI',
      sharpening: 0.5,
      outputFormat: 'TIFF',
    },
  ],
];

/** What a viewer shows of a file: upright, by its profile, on white, small. */
async function seen(path: string): Promise<Buffer> {
  return sharp(path, { pages: 1, failOn: 'none' })
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .resize(48, 48, { fit: 'fill' })
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** Mean difference of two small pictures, levels. */
function difference(a: Buffer, b: Buffer): number {
  const channels = [a.length, b.length].map((length) => length / (48 * 48)) as [number, number];
  let sum = 0;
  for (let i = 0; i < 48 * 48 * 3; i += 1) {
    const [pixel, c] = [Math.floor(i / 3), i % 3];
    const at = (data: Buffer, n: number): number => data[pixel * n + (n === 1 ? 0 : c)]!;
    sum += Math.abs(at(a, channels[0]) - at(b, channels[1]));
  }
  return sum / (48 * 48 * 3);
}

/** How far each order may move what is seen: nothing, little, and what a look may do. */
const ALLOWED = { untouched: 5, defaults: 40, 'vivid PNG': 50, 'everything, TIFF': 40 } as Record<string, number>;

if (names.length === 0) testUnless('a subfolder images')('pictures are enhanced', () => undefined);
for (const name of names)
  describe(name, () => {
    const inputPath = join(folder, name);
    const refused = REFUSED[name];

    it.each(ORDERS)('%s', async (label, given) => {
      const outputPath = join(scratch, `${name}.${label.replace(/\W+/g, '-')}`);
      const run = sandbox.run(
        'enhance-image',
        { inputPath, outputPath, parameters: resolveImageParameters(given) },
        { account: 'one' },
      );
      if (refused !== undefined) {
        const error: unknown = await run.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(Failure);
        expect((error as Failure).code).toBe(refused);
        return;
      }
      const result = await run;
      const { width, height, orientation = 1, format } = await sharp(outputPath).metadata();
      expect({ width, height }).toEqual({ width: result.width, height: result.height });
      expect(orientation).toBe(1);
      expect(result.mimetype).toBe(`image/${format}`);
      expect(difference(await seen(inputPath), await seen(outputPath))).toBeLessThan(ALLOWED[label]!);
    });
  });
