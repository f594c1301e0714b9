import { colourChannels, type Picture } from '../picture.ts';

/** Pixels around a pixel that must equal it. */
const REACH = 1;

/**
 * Gives even areas of a picture their exact colour in its enlargement, in place. A network answers a level or two off there,
 * which shows as a tint in a drawing and makes lossless data several times larger. A pixel is part of an even area if its
 * neighbours are equal.
 * @param enlarged the picture by a whole factor
 */
export function keepFlat(picture: Picture, enlarged: Picture): void {
  const { width, height, channels, data } = picture;
  const scale = enlarged.width / width;
  const colours = colourChannels(picture);
  const row = width * channels;
  const isFlat = (x: number, y: number): boolean => {
    const at = y * row + x * channels;
    for (let dy = -REACH; dy <= REACH; dy += 1)
      for (let dx = -REACH; dx <= REACH; dx += 1) {
        const other = at + dy * row + dx * channels;
        for (let c = 0; c < channels; c += 1) if (data[other + c] !== data[at + c]) return false;
      }
    return true;
  };
  for (let y = REACH; y < height - REACH; y += 1)
    for (let x = REACH; x < width - REACH; x += 1) {
      if (!isFlat(x, y)) continue;
      const from = y * row + x * channels;
      for (let line = 0; line < scale; line += 1) {
        let to = ((y * scale + line) * enlarged.width + x * scale) * channels;
        for (let i = 0; i < scale; i += 1, to += channels)
          for (let c = 0; c < colours; c += 1) enlarged.data[to + c] = data[from + c]!;
      }
    }
}
