import { LUMA } from '../steps/curves.ts';
import { smoothStep } from '../ramps.ts';
import type { FaceBox } from './face-boxes.ts';
import { blurPlane, gaussianKernel } from '../filters/plane-filters.ts';
import { colourChannels, emptySamples, maxSample, type Picture } from '../picture.ts';
import { resample } from '../filters/resample.ts';

/** Radius of the mask from the centre of the box, in sides of the box: hair and chin belong to a face. */
const FACE_REACH = 0.85;
/** Fraction of that radius at which the mask starts to fade. */
const FULL = 0.55;

/** Returns the weight of the treatment at a point: 1 in the ellipse of the face, fading to 0 at the radius. Pixels. */
export function faceMask({ x, y, width, height }: FaceBox, px: number, py: number): number {
  const away = Math.hypot((px - x - width / 2) / width, (py - y - height / 2) / height) / FACE_REACH;
  return smoothStep((1 - away) / (1 - FULL));
}

/**
 * Width of the face on the reduced copy that separates illumination from detail, pixels, and the sigma of the Gaussian
 * there.
 */
const COPY_WIDTH = 128;
const SIGMA = 4;

/** Bounds of a face's mask in the picture, in pixels; right and bottom are exclusive. */
export interface FaceArea {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Illumination of a face, without details, 0..1. */
export interface FaceLight {
  /** Illumination at a pixel of the picture, interpolated from the reduced copy */
  at(x: number, y: number): number;
  median: number;
}

export function faceArea({ x, y, width, height }: FaceBox, picture: Picture): FaceArea {
  const [cx, cy] = [x + width / 2, y + height / 2];
  return {
    left: Math.max(0, Math.floor(cx - width * FACE_REACH)),
    top: Math.max(0, Math.floor(cy - height * FACE_REACH)),
    right: Math.min(picture.width, Math.ceil(cx + width * FACE_REACH)),
    bottom: Math.min(picture.height, Math.ceil(cy + height * FACE_REACH)),
  };
}

/** Measures a copy of the area, reduced for a large face, so that any face needs little memory. */
export function faceLight(picture: Picture, face: FaceBox): FaceLight {
  const area = faceArea(face, picture);
  const scale = Math.min(1, COPY_WIDTH / face.width);
  const luma = cropLuma(picture, area);
  const { data, width, height } = resample(
    luma,
    Math.max(1, Math.round(luma.width * scale)),
    Math.max(1, Math.round(luma.height * scale)),
  );
  const max = maxSample(picture);
  const kernel = gaussianKernel((SIGMA * Math.min(face.width, COPY_WIDTH)) / COPY_WIDTH);
  const blurred = blurPlane(
    Float32Array.from(data, (value) => value / max),
    width,
    height,
    kernel,
  );
  const [stepX, stepY] = [luma.width / width, luma.height / height];
  const inside = blurred.filter((_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return faceMask(face, area.left + (x + 0.5) * stepX, area.top + (y + 0.5) * stepY) > 0.9;
  });
  return {
    median: inside.sort()[inside.length >> 1] ?? 1,
    at(px, py) {
      const x = Math.min(width - 1, Math.max(0, (px - area.left + 0.5) / stepX - 0.5));
      const y = Math.min(height - 1, Math.max(0, (py - area.top + 0.5) / stepY - 0.5));
      const [i, j] = [Math.floor(x), Math.floor(y)];
      const [right, below] = [i + 1 < width ? 1 : 0, j + 1 < height ? width : 0];
      const at = j * width + i;
      const upper = blurred[at]! + (blurred[at + right]! - blurred[at]!) * (x - i);
      const lower = blurred[at + below]! + (blurred[at + below + right]! - blurred[at + below]!) * (x - i);
      return upper + (lower - upper) * (y - j);
    },
  };
}

function cropLuma(picture: Picture, { left, top, right, bottom }: FaceArea): Picture {
  const { data, channels } = picture;
  const [width, height] = [right - left, bottom - top];
  const luma = emptySamples(picture, width * height);
  const [green, blue] = colourChannels(picture) === 1 ? [0, 0] : [1, 2];
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, to += 1) {
      const i = ((top + y) * picture.width + left + x) * channels;
      luma[to] = LUMA[0] * data[i]! + LUMA[1] * data[i + green]! + LUMA[2] * data[i + blue]! + 0.5;
    }
  }
  return { data: luma, width, height, channels: 1, space: 'grey', hasAlpha: false };
}
