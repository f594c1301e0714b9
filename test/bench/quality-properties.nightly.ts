import { expect, test } from '@jest/globals';
import { withCameraNoise } from '../../bench/quality/cases.ts';
import type { Rgb } from '../../bench/quality/metrics.ts';

const standardDeviation = ({ data }: Rgb, level: number): number =>
  Math.sqrt(data.reduce((sum, value) => sum + (value - level) ** 2, 0) / data.length);

test("a camera's noise grows as its electrons become fewer, and neighbours share it", () => {
  const grey: Rgb = { data: new Uint8Array(64 * 64 * 3).fill(128), width: 64, height: 64 };
  const [much, little] = [400, 6400].map((electrons) => withCameraNoise(grey, electrons, 1));
  expect(standardDeviation(much!, 128) / standardDeviation(little!, 128)).toBeCloseTo(4, 0);
  const green = much!.data.filter((_, i) => i % 3 === 1);
  let [product, square] = [0, 0];
  for (let i = 1; i < green.length; i += 1) {
    product += (green[i]! - 128) * (green[i - 1]! - 128);
    square += (green[i]! - 128) ** 2;
  }
  expect(product / square).toBeGreaterThan(0.2);
});
