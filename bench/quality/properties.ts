import type { EnhancementParameters } from '@burnish/contract';
import { estimateNoise } from '../../packages/engine/src/image/steps/noise-estimate.ts';
import { image, halved, withCameraNoise } from './cases.ts';
import { centredLanczos } from './lanczos.ts';
import { psnrY, type Rgb } from './metrics.ts';
import { pixels } from './contenders.ts';

export type Properties = Record<string, number>;
export type EnhanceFile = (file: Buffer, parameters: EnhancementParameters) => Promise<Rgb>;

/** Number of electrons of a saturated pixel: little light, and very little. */
const ELECTRONS = [2000, 400] as const;

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
