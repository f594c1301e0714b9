import type { Picture } from './picture.ts';
import { resample } from './resample.ts';

/** Enlarges a picture by a whole factor, so that every pixel of the source becomes `scale` × `scale` around its centre. */
export function upscale(picture: Picture, scale: number, onPart?: (part: number) => void): Picture {
  return resample(picture, picture.width * scale, picture.height * scale, onPart);
}
