import type { Picture } from '../../image/picture.ts';
import type { OnPart } from '../../image/progress.ts';

/** Minimum difference to a neighbour in a channel, of 255, for a pixel to belong to an edge. */
const EDGE = 8;
/** Quantisation steps of edge values, of 255: the error is at most half a step. Masks keep 16 levels. */
export const EDGE_STEPS = { drawing: 8, mask: 17 } as const;
/** Values from here on, of 255, stay exact. So does 0. */
const BRIGHT = 254;

/**
 * Quantises an enlarged mask or drawing of 8 bits at its edges, so that it takes less space without loss: an error of half
 * a step is invisible there. Gradients, even areas beside no edge, black, white, and fully transparent or opaque pixels do not change.
 * @param picture changes in place, since it may have a gigabyte
 */
export function coarsenEdges({ data, width, height, channels }: Picture, step: number, onPart?: OnPart): void {
  const row = width * channels;
  const levels = Uint8Array.from({ length: BRIGHT }, (_, value) => Math.min(255, Math.round(value / step) * step));
  const differs = (at: number, other: number): boolean => {
    for (let c = 0; c < channels; c += 1) if (Math.abs(data[at + c]! - data[other + c]!) >= EDGE) return true;
    return false;
  };
  // Each pair of neighbours is compared once, and marks both. A pixel is complete after its pairs to the right and below, and may change.
  let [edges, below] = [new Uint8Array(width), new Uint8Array(width)];
  for (let y = 0, at = 0; y < height; y += 1) {
    below.fill(0);
    for (let x = 0; x < width; x += 1, at += channels) {
      if (x + 1 < width && differs(at, at + channels)) edges[x] = edges[x + 1] = 1;
      if (y + 1 < height && differs(at, at + row)) edges[x] = below[x] = 1;
      if (edges[x] === 0) continue;
      for (let i = at; i < at + channels; i += 1) if (data[i]! < BRIGHT) data[i] = levels[data[i]!]!;
    }
    [edges, below] = [below, edges];
    if ((y & 63) === 0) onPart?.(y / height);
  }
}
