import { expect, test } from '@jest/globals';
import { withCameraNoise } from '../../bench/quality/cases.ts';
import { measureDark, measureNight, measureOnWhite } from '../../bench/quality/properties.ts';
import type { Rgb } from '../../bench/quality/metrics.ts';

/** A lamp of 4 × 4 pixels before an even wall. */
const scene = (level: number): Rgb => {
  const data = new Uint8Array(200 * 100 * 3).fill(level);
  for (let y = 46; y < 50; y += 1) data.fill(255, 3 * (y * 200 + 98), 3 * (y * 200 + 102));
  return { data, width: 200, height: 100 };
};

const standardDeviation = ({ data }: Rgb, level: number): number =>
  Math.sqrt(data.reduce((sum, value) => sum + (value - level) ** 2, 0) / data.length);

test('a night that stays has factors of 1, and a lifted one shows its black and its ring', async () => {
  expect(await measureNight(scene(20), (picture) => picture)).toEqual({
    'noise in calm tiles, factor': 1,
    'rise of black, levels': 0,
    'ring around lamps, factor': 1,
  });
  const lifted = await measureNight(scene(20), () => scene(60));
  expect(lifted['rise of black, levels']).toBeCloseTo(40, 3);
  expect(lifted['ring around lamps, factor']).toBeCloseTo(3, 1);
});

test('an object on white shows what became darker, and white that is no longer white', async () => {
  expect(await measureOnWhite(scene(100), (picture) => picture)).toEqual({
    'change, ΔE': 0,
    'object darker, levels': 0,
    'white below 255, levels': 0,
  });
  const darker = await measureOnWhite(scene(100), (picture) => ({ ...picture, data: picture.data.map((v) => v - 9) }));
  expect(darker['object darker, levels']).toBeCloseTo(9, 5);
  expect(darker['white below 255, levels']).toBe(9);
});

test('a dark picture misses the levels below 60, and shows more noise', async () => {
  const { 'median below 60, levels': missing, 'noise in calm tiles, factor': noise } = await measureDark(
    scene(20),
    () => withCameraNoise(scene(50), 400, 1),
  );
  expect(missing).toBeGreaterThan(8);
  expect(missing).toBeLessThan(12);
  expect(noise).toBeGreaterThan(1.5);
});

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
