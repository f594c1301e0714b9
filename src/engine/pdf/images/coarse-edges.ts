import type { Picture } from '../../image/picture.ts';

/** Minimum difference to a neighbour in a channel, of 255, for a pixel to belong to an edge. */
const EDGE = 8;
/** Quantisation steps of edge values, of 255: the error is at most half a step. Masks keep 16 levels. */
export const EDGE_STEPS = { drawing: 8, mask: 17 } as const;
/** Values from here on, of 255, stay exact. So does 0. */
const BRIGHT = 254;

/**
 * Quantises an enlarged mask or drawing of 8 bits at its edges, so that it takes less space without loss: an error of half
 * a step is invisible there. Gradients, even areas beside no edge, black, white, and fully transparent or opaque pixels do not change.
 */
export function withCoarseEdges(picture: Picture, step: number): Picture {
  const { data, width, height, channels } = picture;
  const coarse = Uint8Array.from(data);
  const row = width * channels;
  const differs = (at: number, other: number): boolean => {
    for (let c = 0; c < channels; c += 1) if (Math.abs(data[at + c]! - data[other + c]!) >= EDGE) return true;
    return false;
  };
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += channels) {
      const isEdge =
        (x > 0 && differs(at, at - channels)) ||
        (x + 1 < width && differs(at, at + channels)) ||
        (y > 0 && differs(at, at - row)) ||
        (y + 1 < height && differs(at, at + row));
      if (!isEdge) continue;
      for (let i = at; i < at + channels; i += 1)
        if (data[i]! < BRIGHT) coarse[i] = Math.min(255, Math.round(data[i]! / step) * step);
    }
  return { ...picture, data: coarse };
}
