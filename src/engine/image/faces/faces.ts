import { LUMA } from '../steps/curves.ts';
import type { FaceBox } from './face-boxes.ts';
import { faceArea, faceLight, faceMask } from './face-light.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';

/** Range of chroma of skin of all tones, levels of 255 (Chai and Ngan, "Face segmentation using skin-color map", 1999). */
const BLUE = [77, 127] as const;
const RED = [133, 173] as const;
/** Levels over which the range fades out. */
const FADE = 8;

/** How much a colour looks like skin, 0 to 1. Samples are 0..255. */
export function skinPart(r: number, g: number, b: number): number {
  const blue = 128 - 0.168736 * r - 0.331264 * g + 0.5 * b;
  const red = 128 + 0.5 * r - 0.418688 * g - 0.081312 * b;
  return within(blue, BLUE) * within(red, RED);
}

function within(value: number, [least, most]: readonly [number, number]): number {
  const outside = Math.max(least - value, value - most);
  return Math.min(1, Math.max(0, 1 - outside / FADE));
}

/** Narrower faces, pixels, have no details to treat. */
const LEAST_WIDTH = 16;
/** A face whose median luma, 0..1, is darker than this is lit up by half of what it lacks, by an exponent not below the second. */
const WELL_LIT = 0.42;
const LEAST_EXPONENT = 0.72;
/** The most that any pixel's light is raised by, as a factor. */
const MOST_GAIN = 1.5;
/** Part of the detail that is added, the size from which it counts more than noise, and the most that is added, levels of 255. */
const DETAIL = { amount: 0.4, core: 2, most: 8 };
/** Part of that on skin, where detail is pores. */
const ON_SKIN = 0.3;

/**
 * Treats faces gently, in place, under soft-edged masks: a face in the shade is lit up by its broad light, so that modelling
 * and hue stay; eyes, brows, lips and hair get a little more definition, skin hardly any. Nothing is made up. Not for CMYK.
 * @param faces boxes in pixels
 * @returns how many faces were treated; others are too small
 */
export function treatFaces(picture: Picture, faces: readonly FaceBox[]): number {
  const treated = faces.filter(({ width }) => width >= LEAST_WIDTH);
  for (const face of treated) treatFace(picture, face);
  return treated.length;
}

function treatFace(picture: Picture, face: FaceBox): void {
  const { data, channels } = picture;
  const max = maxSample(picture);
  const toLevels = 255 / max;
  const grey = colourChannels(picture) === 1;
  const [green, blue] = grey ? [0, 0] : [1, 2];
  const light = faceLight(picture, face);
  const exponent = exponentFor(light.median);
  const { left, top, right, bottom } = faceArea(face, picture);
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const mask = faceMask(face, x + 0.5, y + 0.5);
      if (mask === 0) continue;
      const i = (y * picture.width + x) * channels;
      const [r, g, b] = [data[i]! * toLevels, data[i + green]! * toLevels, data[i + blue]! * toLevels];
      const broad = light.at(x, y);
      const detail = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b - broad * 255;
      const skin = grey ? 1 : skinPart(r, g, b);
      const added = definition(detail) * (1 - skin * (1 - ON_SKIN)) * mask;
      const gain = Math.min(255 / Math.max(1, r, g, b), 1 + (gainAt(broad, exponent) - 1) * mask);
      for (let c = 0; c <= blue; c += 1) {
        const value = data[i + c]! * gain + added / toLevels + 0.5;
        data[i + c] = value < 0 ? 0 : value > max ? max : value;
      }
    }
  }
}

/** 1 for a face that is lit well. */
function exponentFor(median: number): number {
  if (median >= WELL_LIT) return 1;
  const from = Math.max(0.02, median);
  return Math.max(LEAST_EXPONENT, Math.log((from + WELL_LIT) / 2) / Math.log(from));
}

function gainAt(broad: number, exponent: number): number {
  return Math.min(MOST_GAIN, Math.max(0.004, broad) ** (exponent - 1));
}

/** The amount added to a detail, levels of 255: nothing to possible noise, and never enough for a halo. */
function definition(detail: number): number {
  const size = Math.abs(detail);
  const added = (detail * DETAIL.amount * size) / (size + DETAIL.core);
  return Math.min(DETAIL.most, Math.max(-DETAIL.most, added));
}
