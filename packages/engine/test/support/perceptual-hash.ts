import type { Picture } from '../../src/image/picture.ts';
import { resample } from '../../src/image/filters/resample.ts';

/** Difference hash of 64 bits as 16 hexadecimal digits: each bit says whether one of 8 × 8 fields is lighter than its right neighbour. */
export function perceptualHash(picture: Picture): string {
  const { data, channels } = resample(picture, 9, 8);
  const luma = (x: number, y: number): number => {
    const at = (y * 9 + x) * channels;
    return channels < 3 ? data[at]! : 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
  };
  const bits = Array.from({ length: 64 }, (_, i) => (luma(i & 7, i >> 3) > luma((i & 7) + 1, i >> 3) ? '1' : '0'));
  return BigInt(`0b${bits.join('')}`)
    .toString(16)
    .padStart(16, '0');
}

/** Number of bits in which two hashes differ. */
export function hashDistance(a: string, b: string): number {
  return (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(2).replaceAll('0', '').length;
}
