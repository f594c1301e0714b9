import type { Fidelity } from '@burnish/contract/engine';
import { colourChannels, maxSample, type Picture } from '../picture.ts';

/**
 * Corrects an enlarged picture in place, until the mean of each block of samples is the sample of the original that the
 * block stands for. The difference is spread evenly over the block: the back-projection of Irani and Peleg ("Improving
 * resolution by image registration", 1991) for a reduction by means, where one step reaches the original. Colours are
 * corrected where the original is opaque, since elsewhere the visible colour depends on alpha too.
 */
export function backProject(original: Picture, enlarged: Picture): void {
  const { data } = enlarged;
  const max = maxSample(original);
  forEachBlock(original, enlarged, (value, first, offsets) => {
    let missing = value * offsets.length;
    for (let i = 0; i < offsets.length; i += 1) missing -= data[first + offsets[i]!]!;
    // Samples at an end of their range take no part, so several rounds may be necessary.
    while (missing !== 0) {
      const share = Math.trunc(missing / offsets.length);
      const step = share === 0 ? Math.sign(missing) : share;
      for (let i = 0; i < offsets.length && missing !== 0; i += 1) {
        const place = first + offsets[i]!;
        const before = data[place]!;
        const after = Math.min(max, Math.max(0, before + step));
        data[place] = after;
        missing -= after - before;
      }
    }
  });
}

/**
 * Measures how far a picture, reduced by the means of its blocks, is from its original. The maximum difference is in levels
 * of 255, and the PSNR in dB, null for equal pictures. Alpha counts like a colour if both have it.
 */
export function measureFidelity(original: Picture, enlarged: Picture): Fidelity {
  const { data } = enlarged;
  const [whole, max] = [maxSample(original), maxSample(enlarged)];
  let [squares, largest, count] = [0, 0, 0];
  forEachBlock(original, enlarged, (value, first, offsets) => {
    let sum = 0;
    for (let i = 0; i < offsets.length; i += 1) sum += data[first + offsets[i]!]!;
    // Exact in integers, so that equal pictures have no rounding error.
    const parts = max * offsets.length;
    const difference = (Math.abs(sum * whole - value * parts) * 255) / (whole * parts);
    squares += difference * difference;
    if (difference > largest) largest = difference;
    count += 1;
  });
  const psnr = squares === 0 ? null : round(10 * Math.log10((255 ** 2 * count) / squares));
  return { psnr, maxDifference: round(largest) };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/**
 * Calls `visit` with each sample of the original that counts, the place of the first sample that stands for it, and the
 * offsets of all of them from there. A grey original stands for all colours of an enlarged picture.
 */
function forEachBlock(
  original: Picture,
  enlarged: Picture,
  visit: (value: number, first: number, offsets: Int32Array) => void,
): void {
  const { width, height, channels, data, hasAlpha } = original;
  const scale = enlarged.width / width;
  const row = enlarged.width * enlarged.channels;
  const [own, colours] = [colourChannels(original), colourChannels(enlarged)];
  const opaque = maxSample(original);
  const offsets = Int32Array.from({ length: scale ** 2 }, (_, i) => {
    return Math.floor(i / scale) * row + (i % scale) * enlarged.channels;
  });
  for (let y = 0; y < height; y += 1) {
    let from = y * width * channels;
    let to = y * scale * row;
    for (let x = 0; x < width; x += 1, from += channels, to += scale * enlarged.channels) {
      if (hasAlpha) {
        const alpha = data[from + own]!;
        if (enlarged.hasAlpha) visit(alpha, to + colours, offsets);
        if (alpha < opaque) continue;
      }
      for (let c = 0; c < colours; c += 1) visit(data[from + (own === 1 ? 0 : c)]!, to + c, offsets);
    }
  }
}
