import { emptySamples } from '../picture.ts';
import type { Picture } from '../picture.ts';

/**
 * Returns a copy in which fully transparent pixels take the mean colour of their neighbours, up to `reach` pixels from
 * visible ones, and black beyond. A filter with a window then finds no edge between hidden colours.
 * @param picture with alpha
 */
export function fillTransparent(picture: Picture, reach: number): Picture {
  const { width, height, channels } = picture;
  const data = emptySamples(picture, picture.data.length);
  // The pass that gave a pixel its colour; 0 for none.
  const round = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < round.length; i += 1, at += channels) {
    if (picture.data[at + channels - 1] === 0) continue;
    round[i] = 1;
    for (let c = 0; c < channels; c += 1) data[at + c] = picture.data[at + c]!;
  }
  const sums = new Float64Array(channels - 1);
  const spread = (x: number, y: number, now: number): boolean => {
    sums.fill(0);
    let count = 0;
    for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny += 1) {
      for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx += 1) {
        const from = ny * width + nx;
        if (round[from] === 0 || round[from] === now) continue;
        for (let c = 0; c < sums.length; c += 1) sums[c]! += data[from * channels + c]!;
        count += 1;
      }
    }
    if (count === 0) return false;
    const to = y * width + x;
    round[to] = now;
    sums.forEach((sum, c) => (data[to * channels + c] = sum / count + 0.5));
    return true;
  };
  let changed = true;
  for (let now = 2; changed && now < 2 + reach; now += 1) {
    changed = false;
    for (let i = 0; i < round.length; i += 1) {
      if (round[i] === 0 && spread(i % width, Math.floor(i / width), now)) changed = true;
    }
  }
  return { ...picture, data };
}
