import { expect, test } from '@jest/globals';
import type { Picture } from '../../src/image/picture.ts';
import { reduceRaisedNoise } from '../../src/image/steps/raised-noise.ts';
import { gaussianNumbers } from '../support/photograph.ts';

const [WIDTH, HEIGHT, NOISE] = [320, 240, 3];
const GAIN = { width: 1, height: 1, gains: Float32Array.of(Math.log(3)) };

/** Pattern of leaves of a few pixels, whose contrast grows from the left to the right. The first twentieth is even. */
const leaf = (x: number, y: number): number => Math.sin(1.1 * x) * Math.sin(1.3 * y);
const contrast = (x: number): number => 40 * Math.max(0, x / WIDTH - 0.05);

function foliage(contrastAt: (x: number) => number): Picture {
  const random = gaussianNumbers(3);
  const data = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let i = 0; i < data.length; i += 3) {
    const [x, y] = [(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH)];
    for (let c = i; c < i + 3; c += 1) data[c] = 120 + contrastAt(x) * leaf(x, y) + NOISE * random() + 0.5;
  }
  return { data, width: WIDTH, height: HEIGHT, channels: 3, space: 'rgb', hasAlpha: false };
}

/** Contrast of the pattern of leaves in a range of columns, levels. */
function leafContrast({ data }: Picture, from: number, to: number): number {
  let [sum, square] = [0, 0];
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = from; x < to; x += 1) {
      sum += (data[3 * (y * WIDTH + x) + 1]! - 120) * leaf(x, y);
      square += leaf(x, y) ** 2;
    }
  }
  return sum / square;
}

function deviation({ data }: Picture, from: number, to: number): number {
  let [square, count] = [0, 0];
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = from; x < to; x += 1, count += 1) square += (data[3 * (y * WIDTH + x) + 1]! - 120) ** 2;
  }
  return Math.sqrt(square / count);
}

// Foliage that fills the picture counted as noise, and became smooth.
test('a gain in foliage removes noise from even areas, and keeps the leaves', () => {
  const picture = foliage(contrast);
  const leaves = leafContrast(picture, 80, 160);
  expect(reduceRaisedNoise(picture, GAIN)).toBe(true);
  expect(deviation(picture, 0, 16)).toBeLessThan(NOISE / 2);
  expect(leafContrast(picture, 80, 160)).toBeGreaterThan(0.82 * leaves);
});

test('a gain in an even picture removes its noise', () => {
  const picture = foliage(() => 0);
  expect(reduceRaisedNoise(picture, GAIN)).toBe(true);
  expect(deviation(picture, 0, WIDTH)).toBeLessThan(NOISE / 2);
});

test('without a gain, noise stays', () => {
  const picture = foliage(() => 0);
  expect(reduceRaisedNoise(picture, { ...GAIN, gains: Float32Array.of(0.1) })).toBe(false);
});

test('a slight gain, which adds less noise than is visible, changes no sample', () => {
  const picture = foliage(() => 0);
  const before = picture.data.slice();
  expect(reduceRaisedNoise(picture, { ...GAIN, gains: Float32Array.of(Math.log(1.3)) })).toBe(false);
  expect(picture.data).toEqual(before);
});
