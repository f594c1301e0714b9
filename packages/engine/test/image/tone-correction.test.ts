import { expect, test } from '@jest/globals';
import { applyTone, partOf, type ToneCorrection } from '../../src/image/steps/tone-correction.ts';
import type { Picture } from '../../src/image/picture.ts';

const table = (change: (value: number) => number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, v) => change(v / 255));
/** Brightens and warms, beyond both ends. */
const CORRECTION: ToneCorrection = [table((v) => 1.3 * v), table((v) => v ** 0.8), table((v) => 0.9 * v - 0.02)];

const rgb = (data: Uint8Array | Uint16Array): Picture => ({
  data,
  width: data.length / 4,
  height: 1,
  channels: 4,
  space: 'rgb',
  hasAlpha: true,
});
const samples = Uint8Array.from({ length: 4 * 500 }, (_, i) => (i * 7919) % 256);

/** The definition: a table for each channel, then a clip. */
const expected = (pixel: readonly number[]): number[] =>
  pixel.map((value, c) => Math.min(255, Math.max(0, CORRECTION[c]![value]! * 255)));

test('a correction is three tables, clipped, and leaves alpha', () => {
  const picture = rgb(samples.slice());
  applyTone(picture, CORRECTION);
  for (let i = 0; i < samples.length; i += 4) {
    const wanted = expected([...samples.subarray(i, i + 3)]);
    wanted.forEach((value, c) => expect(Math.abs(picture.data[i + c]! - value)).toBeLessThanOrEqual(0.51));
    expect(picture.data[i + 3]).toBe(samples[i + 3]);
  }
});

test('16 bits have the result of 8, with their finer steps', () => {
  const deep = rgb(Uint16Array.from(samples, (v) => v * 257));
  const plain = rgb(samples.slice());
  applyTone(deep, CORRECTION);
  applyTone(plain, CORRECTION);
  plain.data.forEach((value, i) => expect(Math.abs(deep.data[i]! / 257 - value)).toBeLessThanOrEqual(0.52));
  const steps = rgb(Uint16Array.of(10_000, 10_000, 10_000, 65_535, 10_100, 10_100, 10_100, 65_535));
  applyTone(steps, CORRECTION);
  expect(steps.data[4]).toBeGreaterThan(steps.data[0]!);
});

test('no part of a correction changes nothing, and half of one changes half', () => {
  const [none, half, whole] = [0, 0.5, 1].map((part) => {
    const picture = rgb(Uint8Array.from({ length: 400 }, (_, i) => (i % 4 === 3 ? 255 : 60 + (i % 100))));
    const before = picture.data.slice();
    applyTone(picture, partOf(CORRECTION, part));
    return Array.from(picture.data).reduce((sum, v, i) => sum + Math.abs(v - before[i]!), 0);
  });
  expect(none).toBe(0);
  expect(half! / whole!).toBeGreaterThan(0.35);
  expect(half! / whole!).toBeLessThan(0.65);
});
