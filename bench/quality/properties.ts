import type { EnhancementParameters } from '@burnish/contract';
import { estimateNoise } from '../../packages/engine/src/image/steps/noise-estimate.ts';
import { image, halved, withCameraNoise } from './cases.ts';
import { centredLanczos } from './lanczos.ts';
import { colourError, luma, psnrY, type Rgb } from './metrics.ts';
import { pixels } from './contenders.ts';
import type { Enhance } from './stability.ts';

export type Properties = Record<string, number>;
export type EnhanceFile = (file: Buffer, parameters: EnhancementParameters) => Promise<Rgb>;

/** Number of electrons of a saturated pixel: little light, and very little. */
const ELECTRONS = [2000, 400] as const;
/** Median luma that an underexposed photograph reaches */
const VISIBLE = 60;
const CALM_PART = 0.4;
const TILE = 16;
/** Luma of a lamp, and radius of the ring around it as a share of the width */
const [LAMP, RING] = [235, 0.03];

/** Noise, black level and halos of a scene at night before and after. */
export async function measureNight(picture: Rgb, enhance: Enhance): Promise<Properties> {
  const [before, after] = [luma(picture), luma(await enhance(picture))];
  return {
    'noise in calm tiles, factor': calmNoiseFactor(before, after, picture),
    'rise of black, levels': percentile(after, 0.01) - percentile(before, 0.01),
    'ring around lamps, factor': ringAroundLamps(before, after, picture),
  };
}

/** By how many levels the median luma of an underexposed photograph stays too dark, and how much its noise grows. */
export async function measureDark(picture: Rgb, enhance: Enhance): Promise<Properties> {
  const [before, after] = [luma(picture), luma(await enhance(picture))];
  return {
    'median below 60, levels': Math.max(0, VISIBLE - percentile(after, 0.5)),
    'noise in calm tiles, factor': calmNoiseFactor(before, after, picture),
  };
}

/** Radii of an object on white, as shares of the sides */
const OBJECT = { x: 0.32, y: 0.36 };

/** What happens to an object cut out of the picture and to the white around it. */
export async function measureOnWhite(picture: Rgb, enhance: Enhance): Promise<Properties> {
  const { width, height } = picture;
  const isObject = (pixel: number): boolean => {
    const [x, y] = [(pixel % width) / width - 0.5, Math.floor(pixel / width) / height - 0.5];
    return (x / OBJECT.x) ** 2 + (y / OBJECT.y) ** 2 < 1;
  };
  const before = { ...picture, data: picture.data.map((value, i) => (isObject(Math.floor(i / 3)) ? value : 255)) };
  const after = await enhance(before);
  const object = ({ data }: Rgb): Rgb => {
    const samples = data.filter((_, i) => isObject(Math.floor(i / 3)));
    return { data: samples, width: samples.length / 3, height: 1 };
  };
  return {
    'change, ΔE': colourError(before, after),
    'object darker, levels': meanOf(luma(object(before))) - meanOf(luma(object(after))),
    'white below 255, levels':
      255 - after.data.reduce((least, value, i) => (isObject(Math.floor(i / 3)) ? least : Math.min(least, value)), 255),
  };
}

const meanOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

/** The error of the estimate of a camera's noise, and the loss by `AUTO` noise reduction where there is no noise. */
export async function measureNoise(picture: Rgb, index: number, enhance: EnhanceFile): Promise<Properties> {
  const found: Properties = {};
  for (const electrons of ELECTRONS) {
    const noisy = withCameraNoise(picture, electrons, index);
    const truth = rootMeanSquare(noisy, picture);
    const estimate = Math.max(...estimateNoise({ ...noisy, channels: 3, space: 'rgb', hasAlpha: false }));
    found[`estimate at ${electrons} electrons, % off`] = 100 * Math.abs(estimate / truth - 1);
  }
  const loss = async (input: Buffer, own: EnhancementParameters): Promise<number> => {
    const denoised = await enhance(input, { mode: 'OFF', noiseReductionProfilingMode: 'AUTO', ...own });
    return psnrY(picture, await enhance(input, { mode: 'OFF', ...own })) - psnrY(picture, denoised);
  };
  const jpeg = { quality: 75 };
  const doubled = { upscalingFactor: 'X2' } as const;
  // At X1, a clean file has no other error than the loss, so only a JPEG has a meaningful difference.
  found['loss by noise AUTO, clean, X2, dB'] = await loss(await halved(picture).png().toBuffer(), doubled);
  found['loss by noise AUTO, JPEG 75, dB'] = await loss(await image(picture).jpeg(jpeg).toBuffer(), {});
  found['loss by noise AUTO, JPEG 75, X2, dB'] = await loss(await halved(picture).jpeg(jpeg).toBuffer(), doubled);
  return found;
}

/** The distance in dB of the tiers from what they are compared with; negative values are gains. */
export async function measureEnlarging(picture: Rgb, enhance: EnhanceFile): Promise<Properties> {
  const [width, height] = [picture.width & ~3, picture.height & ~3];
  const whole = await pixels(await image(picture).extract({ left: 0, top: 0, width, height }).png().toBuffer());
  const half = await pixels(await halved(whole).png().toBuffer());
  const quarter = await halved(half).png().toBuffer();
  const jpeg = await image(half).jpeg({ quality: 75 }).toBuffer();
  const reached = async (file: Buffer, own: EnhancementParameters): Promise<number> =>
    psnrY(whole, await enhance(file, { mode: 'OFF', ...own }));
  const times4 = (engineTier: 'FAST' | 'FINE' | 'AUTO'): Promise<number> =>
    reached(quarter, { upscalingFactor: 'X4', engineTier });
  const fast = { upscalingFactor: 'X2', engineTier: 'FAST' } as const;
  return {
    'FAST behind Lanczos, X2, dB':
      psnrY(whole, centredLanczos(half)) - (await reached(await image(half).png().toBuffer(), fast)),
    'FAST behind Lanczos, X2, JPEG 75, dB':
      psnrY(whole, centredLanczos(await pixels(jpeg))) -
      (await reached(jpeg, { ...fast, artifactsDetectionRemoval: 'AUTO_AI' })),
    'AUTO behind the better tier, X4, dB':
      Math.max(await times4('FAST'), await times4('FINE')) - (await times4('AUTO')),
  };
}

/** Ratio of the mean noise of the calmest tiles after and before (Immerkær's mask). Noise counts from one level. */
function calmNoiseFactor(before: Float32Array, after: Float32Array, { width, height }: Rgb): number {
  const [own, later] = [tileNoise(before, width, height), tileNoise(after, width, height)];
  const calm = own
    .map((_, i) => i)
    .sort((i, j) => own[i]! - own[j]!)
    .slice(0, Math.ceil(own.length * CALM_PART));
  const mean = (values: number[]): number => calm.reduce((sum, i) => sum + values[i]!, 0) / calm.length;
  return Math.max(1, mean(later)) / Math.max(1, mean(own));
}

function tileNoise(l: Float32Array, width: number, height: number): number[] {
  const found: number[] = [];
  for (let top = 1; top + TILE < height; top += TILE) {
    for (let left = 1; left + TILE < width; left += TILE) {
      let sum = 0;
      for (let n = 0; n < TILE ** 2; n += 1) {
        const k = (top + Math.floor(n / TILE)) * width + left + (n % TILE);
        const corners = l[k - width - 1]! + l[k - width + 1]! + l[k + width - 1]! + l[k + width + 1]!;
        const sides = l[k - 1]! + l[k + 1]! + l[k - width]! + l[k + width]!;
        sum += Math.abs(corners - 2 * sides + 4 * l[k]!);
      }
      found.push((Math.sqrt(Math.PI / 2) / 6) * (sum / TILE ** 2));
    }
  }
  return found;
}

/** Ratio of the mean luma on rings around up to 40 lamps after and before; 1 without a lamp. Luma counts from one level. */
function ringAroundLamps(before: Float32Array, after: Float32Array, { width, height }: Rgb): number {
  const radius = Math.round(RING * width);
  const lamps: [x: number, y: number][] = [];
  for (let y = radius; y < height - radius; y += 4) {
    for (let x = radius; x < width - radius && lamps.length < 40; x += 4) {
      const apart = lamps.every(([u, v]) => Math.hypot(u - x, v - y) > 2 * radius);
      if (before[y * width + x]! > LAMP && apart) lamps.push([x, y]);
    }
  }
  let [own, later] = [1, 1];
  for (const [x, y] of lamps) {
    for (let angle = 0; angle < 2 * Math.PI; angle += Math.PI / 16) {
      const k = Math.round(y + radius * Math.sin(angle)) * width + Math.round(x + radius * Math.cos(angle));
      own += before[k]!;
      later += after[k]!;
    }
  }
  return later / own;
}

function rootMeanSquare(a: Rgb, b: Rgb): number {
  return Math.max(
    ...[0, 1, 2].map((c) => {
      let [sum, count] = [0, 0];
      for (let i = c; i < a.data.length; i += 3) {
        // Clipped samples hide their noise.
        if (b.data[i]! < 6 || b.data[i]! > 249) continue;
        sum += (a.data[i]! - b.data[i]!) ** 2;
        count += 1;
      }
      return Math.sqrt(sum / Math.max(1, count));
    }),
  );
}

function percentile(values: Float32Array, part: number): number {
  return values.slice().sort()[Math.floor((values.length - 1) * part)]!;
}
