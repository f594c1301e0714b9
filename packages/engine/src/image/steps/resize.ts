import type { Size, SizePlan } from '@burnish/contract/engine';
import type { Picture } from '../picture.ts';
import { resample } from '../filters/resample.ts';
import { cutOut } from '../cut-out.ts';

/** Whether an image that was enlarged by the scale of its plan still lacks its planned size. */
export function isResized(image: Size, { scale, width, height }: SizePlan): boolean {
  return image.width * scale !== width || image.height * scale !== height;
}

/** Resizes an enlarged picture to its planned size, and cuts off the edges beyond it evenly. */
export function resize(picture: Picture, plan: SizePlan, onPart?: (part: number) => void): Picture {
  const { width, height } = plan.resized;
  const fits = picture.width === width && picture.height === height;
  return crop(fits ? picture : resample(picture, width, height, onPart), plan);
}

/** @param size at most that of the picture; the middle remains */
function crop(picture: Picture, { width, height }: Size): Picture {
  if (picture.width === width && picture.height === height) return picture;
  const [left, top] = [Math.floor((picture.width - width) / 2), Math.floor((picture.height - height) / 2)];
  return cutOut(picture, { left, top, width, height });
}
