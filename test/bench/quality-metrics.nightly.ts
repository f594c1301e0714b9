import { expect, test } from '@jest/globals';
import { colourError, psnrY, ssimY, type Rgb } from '../../bench/quality/metrics.ts';

const [width, height] = [64, 48];
const clean = picture((x, y) => [x * 4, y * 5, x * 3 + y * 2]);
const damaged = picture((x, y) => {
  const [r, g, b] = [(x * 4) % 256, (y * 5) % 256, (x * 3 + y * 2) % 256];
  return [r + ((x * y) % 7) - 3, g + ((x + y) % 9) - 4, b + ((x * 2 + y) % 5) - 2].map((v) =>
    Math.max(0, Math.min(255, v)),
  );
});

function picture(colour: (x: number, y: number) => number[]): Rgb {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i += 1) data.set(colour(i % width, Math.floor(i / width)), i * 3);
  return { data, width, height };
}

test('luma PSNR, SSIM and ΔE*ab equal those of scikit-image 0.26.0', () => {
  // peak_signal_noise_ratio; structural_similarity(gaussian_weights=True, sigma=1.5, use_sample_covariance=False); deltaE_cie76
  expect(psnrY(clean, damaged)).toBeCloseTo(43.83251682852293, 4);
  expect(ssimY(clean, damaged)).toBeCloseTo(0.97799364114702, 5);
  expect(colourError(clean, damaged)).toBeCloseTo(1.7916049478106946, 2);
});

test('equal images have no error', () => {
  expect(psnrY(clean, clean)).toBe(Infinity);
  expect(ssimY(clean, clean)).toBeCloseTo(1, 12);
  expect(colourError(clean, clean)).toBe(0);
});

test('a difference of one level everywhere is 48.13 dB', () => {
  const [a, b] = [100, 101].map((v) => ({ ...clean, data: new Uint8Array(width * height * 3).fill(v) })) as [Rgb, Rgb];
  expect(psnrY(a, b)).toBeCloseTo(48.1308, 3);
});
