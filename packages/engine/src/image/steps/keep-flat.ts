import { colourChannels, maxSample, type Picture } from '../picture.ts';

/** Pixels around a pixel that must equal it, within the picture. */
const REACH = 1;

/**
 * Gives even areas of a picture their exact colour in the answer of a network, in place. A network answers a level or two off
 * there: white ground turns grey, drawings get a tint, and lossless data becomes several times larger. A pixel is part of an
 * even area if it and its neighbours are equal and opaque.
 * @param answer the picture at its size, or enlarged by a whole factor
 */
export function keepFlat(picture: Picture, answer: Picture): void {
  const { width, height, channels, data, hasAlpha } = picture;
  const scale = answer.width / width;
  const colours = colourChannels(picture);
  const row = width * channels;
  const opaque = maxSample(picture);
  const isFlat = (x: number, y: number): boolean => {
    const at = y * row + x * channels;
    if (hasAlpha && data[at + colours] !== opaque) return false;
    for (let py = Math.max(0, y - REACH); py <= Math.min(height - 1, y + REACH); py += 1)
      for (let px = Math.max(0, x - REACH); px <= Math.min(width - 1, x + REACH); px += 1) {
        const other = py * row + px * channels;
        for (let c = 0; c < channels; c += 1) if (data[other + c] !== data[at + c]) return false;
      }
    return true;
  };
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      if (!isFlat(x, y)) continue;
      const from = y * row + x * channels;
      for (let line = 0; line < scale; line += 1) {
        let to = ((y * scale + line) * answer.width + x * scale) * answer.channels;
        for (let i = 0; i < scale; i += 1, to += answer.channels)
          for (let c = 0; c < colours; c += 1) answer.data[to + c] = data[from + c]!;
      }
    }
}
