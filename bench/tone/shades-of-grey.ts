import type { Rgb } from '../quality/metrics.ts';

/** Shades of grey: the colour of the light is a Minkowski mean of order 6, which weights bright areas more (Finlayson and Trezzi, 2004). */
export const shadesOfGrey = (picture: Rgb): Rgb => balanced(picture, 6);

const LIGHT = Float64Array.from({ length: 256 }, (_, v) =>
  v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
);

/** Neutralizes the Minkowski mean of the given order with gains on linear light, and preserves its luma. */
function balanced(picture: Rgb, order: number): Rgb {
  const sums = [0, 0, 0];
  picture.data.forEach((v, i) => (sums[i % 3]! += LIGHT[v]! ** order));
  const light = sums.map((sum) => (sum / (picture.data.length / 3)) ** (1 / order));
  const coded = light.map((value) => value ** (1 / 2.4));
  const grey = (0.2126 * coded[0]! + 0.7152 * coded[1]! + 0.0722 * coded[2]!) ** 2.4;
  const tables = light.map((value) => LIGHT.map((own) => (own * grey) / Math.max(value, 1e-6)).map(codedLevel));
  return { ...picture, data: picture.data.map((v, i) => tables[i % 3]![v]!) };
}

function codedLevel(light: number): number {
  const v = Math.min(1, light);
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
}
