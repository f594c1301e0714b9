import { colourChannels, maxSample, type Picture } from '../picture.ts';

/** Part of the difference that is corrected: all of it would soften the edges that the network has drawn. */
const SHARE = 0.5;

/**
 * Gives an enlarged picture part of the texture back that its network smoothed away, in place. Each sample of the original is
 * compared with the mean of its block, and the differences, interpolated between the blocks, are added: a gentle
 * back-projection (Irani and Peleg, 1991). Colours are corrected where the original is opaque.
 */
export function returnTexture(original: Picture, enlarged: Picture): void {
  const scale = enlarged.width / original.width;
  const max = maxSample(original);
  const across = placesOf(original.width, scale);
  const down = placesOf(original.height, scale);
  const { data, width, channels } = enlarged;
  for (let c = 0; c < colourChannels(original); c += 1) {
    const missing = missingOf(original, enlarged, c);
    down.forEach(({ first, second, part }, y) => {
      const [above, below] = [first * original.width, second * original.width];
      let to = y * width * channels + c;
      for (const place of across) {
        const top = mix(missing[above + place.first]!, missing[above + place.second]!, place.part);
        const bottom = mix(missing[below + place.first]!, missing[below + place.second]!, place.part);
        data[to] = Math.min(max, Math.max(0, data[to]! + SHARE * mix(top, bottom, part) + 0.5));
        to += channels;
      }
    });
  }
}

const mix = (one: number, other: number, part: number): number => one + part * (other - one);

/** For each sample of an enlarged side, the two original ones beside it and the part of the second one. */
function placesOf(side: number, scale: number): { first: number; second: number; part: number }[] {
  return Array.from({ length: side * scale }, (_, i) => {
    const at = Math.min(side - 1, Math.max(0, (i + 0.5) / scale - 0.5));
    const first = Math.floor(at);
    return { first, second: Math.min(side - 1, first + 1), part: at - first };
  });
}

/** What the mean of each block lacks to be the sample of the original. */
function missingOf(original: Picture, enlarged: Picture, c: number): Float32Array {
  const { width, height, channels, data, hasAlpha } = original;
  const [scale, opaque, colours] = [enlarged.width / width, maxSample(original), colourChannels(original)];
  const missing = new Float32Array(width * height);
  for (let y = 0, i = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, i += 1) {
      if (hasAlpha && data[i * channels + colours]! < opaque) continue;
      let sum = 0;
      for (let line = 0; line < scale; line += 1) {
        const from = ((y * scale + line) * enlarged.width + x * scale) * channels + c;
        for (let k = 0; k < scale; k += 1) sum += enlarged.data[from + k * channels]!;
      }
      missing[i] = data[i * channels + c]! - sum / scale ** 2;
    }
  return missing;
}
