import { maxSample, type Picture } from '../../src/image/picture.ts';
import { measureTone, type ToneStatistics } from '../../src/image/steps/tone-statistics.ts';
import { toneThumbnail } from '../../src/image/steps/tone-thumbnail.ts';
import { gaussianNumbers } from './photograph.ts';

/** Peak signal-to-noise ratio over all samples, dB. */
export function psnr(a: Picture, b: Picture): number {
  const error = mean(a, b, (difference) => difference ** 2);
  return 10 * Math.log10(maxSample(a) ** 2 / error);
}

/** Mean absolute difference of samples, in levels. */
export function meanDifference(a: Picture, b: Picture): number {
  return mean(a, b, Math.abs);
}

function mean(a: Picture, b: Picture, measure: (difference: number) => number): number {
  let sum = 0;
  for (let i = 0; i < a.data.length; i += 1) sum += measure(a.data[i]! - b.data[i]!);
  return sum / a.data.length;
}

/** Adds white Gaussian noise of `sigma` levels of 255. */
export function withNoise(picture: Picture, sigma: number, seed = 7): Picture {
  const noise = gaussianNumbers(seed);
  const max = maxSample(picture);
  const data = picture.data.map((v) => Math.max(0, Math.min(max, Math.round(v + (noise() * sigma * max) / 255))));
  return { ...picture, data };
}

/** Statistics of a whole picture, as `improveTone` takes them. */
export const toneStatistics = (picture: Picture): ToneStatistics | undefined => measureTone(toneThumbnail(picture));

export function copyOf(picture: Picture): Picture {
  // Copies the samples, because Buffer.slice would share memory.
  return {
    ...picture,
    data: picture.data instanceof Uint16Array ? picture.data.slice() : Uint8Array.from(picture.data),
  };
}

/** Whether two pictures have the same samples; faster than a comparison of lists. */
export function sameSamples(a: Picture, b: Picture): boolean {
  const bytes = ({ data }: Picture): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes(a).equals(bytes(b));
}
