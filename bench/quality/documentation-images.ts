import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { EnhancementParameters } from '@burnish/contract';
import { byEngine } from './contenders.ts';
import { engineTiers } from './tiers.ts';

/**
 * Generates the pictures of packages/engine/docs/images.md, before on the left and after on the right: `node --import tsx
 * bench/quality/documentation-images.ts`.
 */
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): Promise<Buffer> => readFile(at(path));
const sample = (name: string): Promise<Buffer> => read(`samples/${name}.jpg`);
const fixture = (name: string): Promise<Buffer> => read(`packages/engine/test/fixtures/${name}.jpg`);
const [cat, portrait] = [await sample('yellow-light'), await fixture('portrait')];

/** Visible part, in pixels of the result */
interface Part {
  left: number;
  top: number;
  width: number;
  height: number;
}

const evening: Part = { left: 0, top: 0, width: 480, height: 320 };
const face: Part = { left: 0, top: 0, width: 256, height: 256 };
const eye: Part = { left: 120, top: 40, width: 170, height: 120 };
const blurred = await sharp(cat).blur(0.8).png().toBuffer();
const denoised: EnhancementParameters = { mode: 'OFF', noiseReductionProfilingMode: 'AUTO' };
const againstTheLight: EnhancementParameters = { mode: 'ENHANCE', enhanceFaceDetails: 'ENHANCE' };
const deblocked: EnhancementParameters = { mode: 'OFF', artifactsDetectionRemoval: 'AUTO_AI' };

/** Each with its enlargement of the part, with hard pixels. */
const EXAMPLES: [
  name: string,
  input: Buffer | Promise<Buffer>,
  parameters: EnhancementParameters,
  part: Part,
  zoom: number,
][] = [
  ['artifacts', sharp(cat).jpeg({ quality: 30 }).toBuffer(), deblocked, eye, 2],
  ['noise', sample('noisy'), denoised, { left: 300, top: 150, width: 170, height: 120 }, 2],
  ['tone', sample('dark-room'), { mode: 'ENHANCE' }, { left: 0, top: 180, width: 720, height: 700 }, 0.45],
  ['balance', cat, { mode: 'ENHANCE' }, { left: 0, top: 0, width: 451, height: 300 }, 0.75],
  ['local-light', sample('against-the-light'), againstTheLight, { left: 0, top: 0, width: 600, height: 600 }, 0.55],
  ['night', fixture('night'), { mode: 'ENHANCE' }, evening, 0.8],
  ['sunset', fixture('sunset'), { mode: 'ENHANCE' }, evening, 0.8],
  ['faces', sharp(portrait).linear(0.55, 0).png().toBuffer(), { mode: 'OFF', enhanceFaceDetails: 'ENHANCE' }, face, 1],
  ['upscale', cat, { mode: 'OFF', upscalingFactor: 'X2' }, { left: 240, top: 80, width: 340, height: 240 }, 1],
  ['sharpen', blurred, { mode: 'OFF', sharpening: 0.6 }, eye, 2],
];

const scratch = await mkdtemp(join(tmpdir(), 'burnish-images-'));
const target = at('packages/engine/docs/images/steps');
await mkdir(target, { recursive: true });
const tier = (await engineTiers()).at(-1)!;
try {
  for (const [name, made, parameters, part, zoom] of EXAMPLES) {
    const input = await made;
    const { data, width, height } = await byEngine(input, { ...tier, parameters }, scratch);
    const before = await sharp(input)
      .toColourspace('srgb')
      .resize(width, height, { kernel: 'nearest' })
      .png()
      .toBuffer();
    const after = await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const size = { width: Math.round(part.width * zoom), height: Math.round(part.height * zoom) };
    const halves = await Promise.all(
      [before, after].map((picture) =>
        sharp(picture)
          .extract(part)
          .resize({ ...size, kernel: zoom > 1 ? 'nearest' : 'lanczos3' })
          .png()
          .toBuffer(),
      ),
    );
    await sharp({ create: { width: 2 * size.width + 6, height: size.height, channels: 3, background: 'white' } })
      .composite(halves.map((half, n) => ({ input: half, left: n * (size.width + 6), top: 0 })))
      .jpeg({ quality: 88, chromaSubsampling: '4:4:4' })
      .toFile(join(target, `${name}.jpg`));
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
