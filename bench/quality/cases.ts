import sharp, { type Sharp } from 'sharp';
import type { EnhancementParameters } from '@burnish/contract';
import { gaussianNumbers } from '../../packages/engine/test/support/photograph.ts';
import { centredLanczos } from './lanczos.ts';
import type { Rgb } from './metrics.ts';

/** Remedies for the damage with a plain call of sharp. */
export type SharpRemedies = Record<string, (image: Sharp, size: { width: number; height: number }) => Sharp>;

export interface QualityCase {
  name: string;
  /** The damaged picture as a PNG or JPEG file */
  damage(original: Rgb, index: number): Promise<Buffer>;
  /** Parameters for the engine */
  parameters: EnhancementParameters;
  /** Whether the result depends on the engine's tier */
  tiered: boolean;
  remedies: SharpRemedies;
  /** Known methods to compare with */
  rivals?: Rivals;
}

export type Rivals = Record<string, (damaged: Rgb) => Rgb>;

const enlarge =
  (kernel: 'cubic' | 'lanczos3') =>
  (image: Sharp, { width, height }: { width: number; height: number }) =>
    image.resize(width, height, { kernel });
const ENLARGERS: SharpRemedies = { 'resize cubic': enlarge('cubic'), 'resize lanczos3': enlarge('lanczos3') };
const DENOISERS: SharpRemedies = {
  'blur 0.6': (picture) => picture.blur(0.6),
  'median 3': (picture) => picture.median(3),
};

export const CASES: QualityCase[] = [
  {
    name: 'area/2, X2',
    damage: (original) => halved(original).png().toBuffer(),
    parameters: { mode: 'OFF', upscalingFactor: 'X2' },
    tiered: true,
    remedies: ENLARGERS,
    rivals: { 'centred lanczos3': centredLanczos },
  },
  {
    name: 'area/2, JPEG 75, X2',
    damage: (original) => halved(original).jpeg({ quality: 75 }).toBuffer(),
    parameters: { mode: 'OFF', upscalingFactor: 'X2', artifactsDetectionRemoval: 'AUTO_AI' },
    tiered: true,
    remedies: ENLARGERS,
    rivals: { 'centred lanczos3': centredLanczos },
  },
  ...[90, 75, 50].map((quality) => ({
    name: `JPEG ${quality}`,
    damage: (original: Rgb) => image(original).jpeg({ quality }).toBuffer(),
    parameters: { mode: 'OFF', artifactsDetectionRemoval: 'AUTO_AI' } as const,
    tiered: true,
    remedies: {},
  })),
  {
    name: 'noise σ8',
    damage: (original, index) => png(withNoise(original, 8, index)),
    parameters: { mode: 'OFF', noiseReductionProfilingMode: 'AUTO' },
    tiered: true,
    remedies: DENOISERS,
  },
  {
    name: 'noise σ6, JPEG 50',
    damage: (original, index) =>
      image(withNoise(original, 6, index))
        .jpeg({ quality: 50 })
        .toBuffer(),
    parameters: { mode: 'OFF', noiseReductionProfilingMode: 'AUTO', artifactsDetectionRemoval: 'AUTO_AI' },
    tiered: true,
    remedies: DENOISERS,
  },
  {
    name: 'blur σ0.8',
    damage: (original) => image(original).blur(0.8).png().toBuffer(),
    parameters: { mode: 'OFF', sharpening: 0.5 },
    tiered: false,
    remedies: { sharpen: (picture) => picture.sharpen() },
  },
];

export function image({ data, width, height }: Rgb): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

const png = (picture: Rgb): Promise<Buffer> => image(picture).png({ compressionLevel: 1 }).toBuffer();

/** Halves the picture: each pixel is the mean of four. */
export function halved({ data, width, height }: Rgb): Sharp {
  const small = new Uint8Array((data.length / 4) | 0);
  for (let i = 0, y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      for (let c = 0; c < 3; c += 1, i += 1) {
        const at = (y * width + x) * 3 + c;
        small[i] = (data[at]! + data[at + 3]! + data[at + width * 3]! + data[at + width * 3 + 3]! + 2) >> 2;
      }
    }
  }
  return image({ data: small, width: width / 2, height: height / 2 });
}

/** Adds white Gaussian noise of `sigma` levels. */
export function withNoise(picture: Rgb, sigma: number, seed: number): Rgb {
  const noise = gaussianNumbers(seed + 1);
  return { ...picture, data: picture.data.map((v) => Math.max(0, Math.min(255, Math.round(v + sigma * noise())))) };
}

/** Noise of reading out a pixel, electrons */
const READING = 3;

/**
 * Adds the noise of a camera to linear light: photons (Poisson, as Gaussian) and the read-out, on the pixels of a Bayer pattern. Its
 * bilinear interpolation correlates the noise of neighbours. @param electrons of a saturated pixel
 */
export function withCameraNoise(picture: Rgb, electrons: number, seed: number): Rgb {
  const { width, height, data } = picture;
  const noise = gaussianNumbers(seed + 1);
  const onSensor = new Float32Array(width * height);
  const colourAt = (x: number, y: number): number => (y & 1) + (x & 1);
  for (let i = 0; i < onSensor.length; i += 1) {
    const light = linear(data[3 * i + colourAt(i % width, Math.floor(i / width))]! / 255) * electrons;
    onSensor[i] = (noise() * Math.sqrt(light + READING ** 2)) / electrons;
  }
  return {
    ...picture,
    data: data.map((v, i) => {
      const [x, y, c] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width), i % 3];
      let [sum, count] = [0, 0];
      const near = colourAt(x, y) === c ? 0 : 1;
      for (let v = Math.max(0, y - near); v <= Math.min(height - 1, y + near); v += 1) {
        for (let u = Math.max(0, x - near); u <= Math.min(width - 1, x + near); u += 1) {
          if (colourAt(u, v) !== c) continue;
          sum += onSensor[v * width + u]!;
          count += 1;
        }
      }
      return coded(Math.max(0, linear(v / 255) + sum / count));
    }),
  };
}

/** Multiplies linear light per channel, like another exposure or lamp. */
export function withLight(picture: Rgb, gains: readonly number[]): Rgb {
  const tables = gains.map((gain) => Uint8Array.from({ length: 256 }, (_, v) => coded(linear(v / 255) * gain)));
  return { ...picture, data: picture.data.map((v, i) => tables[i % 3]![v]!) };
}

/** sRGB (IEC 61966-2-1) */
const linear = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const coded = (v: number): number =>
  Math.round(255 * (v <= 0.0031308 ? 12.92 * v : Math.min(1, 1.055 * v ** (1 / 2.4) - 0.055)));
