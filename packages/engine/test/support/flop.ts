import type { Picture } from '../../src/image/picture.ts';

/** The mirror image: left becomes right. */
export function flop(picture: Picture): Picture {
  const { width, channels } = picture;
  const data = picture.data.map((_, i) => {
    const [row, x, c] = [Math.floor(i / (width * channels)), Math.floor(i / channels) % width, i % channels];
    return picture.data[(row * width + width - 1 - x) * channels + c]!;
  });
  return { ...picture, data };
}
