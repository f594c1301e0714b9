import { emptySamples, type Picture } from './picture.ts';

/** Quarter turns clockwise. */
export type QuarterTurns = 0 | 1 | 2 | 3;

/** Returns the picture turned by quarters, or the picture itself for none. */
export function quarterTurned(picture: Picture, turns: QuarterTurns): Picture {
  if (turns === 0) return picture;
  const { width, height, channels, data } = picture;
  const turned = emptySamples(picture, data.length);
  const [across, down] = turns === 2 ? [width, height] : [height, width];
  // Samples from one pixel to the next along a row of the result, and from one row to the next.
  const [start, right, below] = (
    [
      [(height - 1) * width, -width, 1],
      [height * width - 1, -1, -width],
      [width - 1, width, -1],
    ] as const
  )[turns - 1]!;
  for (let y = 0, to = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const from = (start + x * right + y * below) * channels;
      for (let c = 0; c < channels; c += 1, to += 1) turned[to] = data[from + c]!;
    }
  }
  return { ...picture, width: across, height: down, data: turned };
}
