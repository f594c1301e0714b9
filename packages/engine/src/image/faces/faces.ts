import { LUMA } from '../steps/curves.ts';
import type { FaceBox } from './face-boxes.ts';
import { faceArea, faceLight, faceMask } from './face-light.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';

/** Chroma range of skin of all tones, levels of 255 (Chai and Ngan, "Face segmentation using skin-color map", 1999). */
const BLUE = [77, 127] as const;
const RED = [133, 173] as const;
/** Width of the transition at the ends of the range, levels. */
const FADE = 8;

/** Returns the similarity of a colour to skin, 0 to 1. Samples are 0..255. */
export function skinPart(r: number, g: number, b: number): number {
  const blue = 128 - 0.168736 * r - 0.331264 * g + 0.5 * b;
  const red = 128 + 0.5 * r - 0.418688 * g - 0.081312 * b;
  return within(blue, BLUE) * within(red, RED);
}

function within(value: number, [least, most]: readonly [number, number]): number {
  const outside = Math.max(least - value, value - most);
  return Math.min(1, Math.max(0, 1 - outside / FADE));
}

/** Minimum width, pixels: narrower faces have no details to treat. */
const LEAST_WIDTH = 16;
/**
 * Target of the median luma of a face, 0..1. A darker face is brightened by half of the difference, with an exponent of
 * at least the second value.
 */
const WELL_LIT = 0.42;
const LEAST_EXPONENT = 0.72;
/** Maximum gain of any pixel's luma. */
const MOST_GAIN = 1.5;
/**
 * Share of the detail that is added, the amplitude at which detail exceeds noise, and the maximum addition, levels of
 * 255.
 */
const DETAIL = { amount: 0.4, core: 2, most: 8 };
/** Factor on skin, where detail consists of pores. */
const ON_SKIN = 0.3;

/**
 * Enhances faces gently, in place, under soft-edged masks. The illumination of a face in the shade is raised, so that
 * modelling and hue stay. Eyes, brows, lips and hair get slightly more definition, skin hardly any. No detail is
 * invented. Not for CMYK.
 * @param faces boxes in pixels
 * @returns the number of treated faces; others are too small
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

/** Returns the brightening exponent; 1 for a well-lit face. */
function exponentFor(median: number): number {
  if (median >= WELL_LIT) return 1;
  const from = Math.max(0.02, median);
  return Math.max(LEAST_EXPONENT, Math.log((from + WELL_LIT) / 2) / Math.log(from));
}

function gainAt(broad: number, exponent: number): number {
  return Math.min(MOST_GAIN, Math.max(0.004, broad) ** (exponent - 1));
}

/** Returns the addition to a detail, levels of 255: none for possible noise, and never enough for a halo. */
function definition(detail: number): number {
  const size = Math.abs(detail);
  const added = (detail * DETAIL.amount * size) / (size + DETAIL.core);
  return Math.min(DETAIL.most, Math.max(-DETAIL.most, added));
}
