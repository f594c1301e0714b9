import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { EnhancementParameters } from '@burnish/engine/contract';
import { againstTheLight } from '../photographs.ts';
import { underWrongBalance, WRONG_BALANCES } from './camera-casts.ts';
import { image } from './cases.ts';
import { byEngine, pixels } from './contenders.ts';
import { engineTiers } from './tiers.ts';

/**
 * Generates the pictures of packages/engine/docs/images.md, before on the left and after on the right: `node --import tsx
 * bench/quality/documentation-images.ts`.
 */
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const fixtures = ['lake', 'portrait', 'night', 'sunset'].map((name) => `packages/engine/test/fixtures/${name}.jpg`);
const [photograph, portrait, night, sunset] = await Promise.all(fixtures.map((path) => readFile(at(path))));

/** Visible part, in pixels of the result */
interface Part {
  left: number;
  top: number;
  width: number;
  height: number;
}

const whole = (width: number, height: number): Part => ({ left: 0, top: 0, width, height });
const [scene, evening, face] = [whole(640, 427), whole(480, 320), whole(256, 256)];
const detail = { left: 330, top: 190, width: 170, height: 120 };
const bright = sharp(photograph).linear(1.9, 0);
const blurred = await sharp(photograph).median(3).blur(0.8).png().toBuffer();
const magenta = WRONG_BALANCES.find(({ name }) => name === 'magenta light')!;
const tinted = image(underWrongBalance(await pixels(portrait!), magenta, 0));
const denoised: EnhancementParameters = { mode: 'OFF', noiseReductionProfilingMode: 'AUTO' };
const deblocked: EnhancementParameters = { mode: 'OFF', artifactsDetectionRemoval: 'AUTO_AI' };

/** Each with its enlargement of the part, with hard pixels. */
const EXAMPLES: [
  name: string,
  input: Buffer | Promise<Buffer>,
  parameters: EnhancementParameters,
  part: Part,
  zoom: number,
][] = [
  ['artifacts', bright.clone().jpeg({ quality: 30 }).toBuffer(), deblocked, detail, 2],
  ['noise', bright.clone().png().toBuffer(), denoised, detail, 2],
  ['tone', photograph!, { mode: 'ENHANCE' }, scene, 0.6],
  ['balance', tinted.png().toBuffer(), { mode: 'ENHANCE' }, face, 1],
  ['local-light', againstTheLight(photograph!), { mode: 'ENHANCE' }, scene, 0.6],
  ['night', night!, { mode: 'ENHANCE' }, evening, 0.8],
  ['sunset', sunset!, { mode: 'ENHANCE' }, evening, 0.8],
  ['faces', sharp(portrait).linear(0.55, 0).png().toBuffer(), { mode: 'OFF', enhanceFaceDetails: 'ENHANCE' }, face, 1],
  [
    'upscale',
    bright.clone().median(3).png().toBuffer(),
    { mode: 'OFF', upscalingFactor: 'X2' },
    { left: 700, top: 400, width: 340, height: 240 },
    1,
  ],
  ['sharpen', sharp(blurred).linear(1.9, 0).png().toBuffer(), { mode: 'OFF', sharpening: 0.6 }, detail, 2],
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
