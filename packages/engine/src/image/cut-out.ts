import { emptySamples, type Picture } from './picture.ts';

/** A rectangle of a picture, pixels. */
export interface PixelArea {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Returns a copy of an area that lies within the picture. */
export function cutOut(picture: Picture, { left, top, width, height }: PixelArea): Picture {
  const { channels } = picture;
  const data = emptySamples(picture, width * height * channels);
  for (let y = 0; y < height; y += 1) {
    const from = ((top + y) * picture.width + left) * channels;
    data.set(picture.data.subarray(from, from + width * channels), y * width * channels);
  }
  return { ...picture, width, height, data };
}
