import { linearLight } from '../steps/curves.ts';
import { castBy, type Cast } from '../steps/tone-white-point.ts';
import { colourChannels, maxSample, type Picture } from '../picture.ts';
import type { FaceBox } from './face-boxes.ts';
import { faceArea, faceMask } from './face-light.ts';

/** The skin of the faces of a picture. */
export interface Skin {
  /** Linear light, 0..1 */
  light: readonly [red: number, green: number, blue: number];
  /** Logarithms of red over blue, and of green over both; undefined where most of the skin clips */
  colour: Cast | undefined;
}

/** Weight of the mask from which a pixel belongs to the inner face. */
const INNER = 0.9;
/** Pixels that are read of a face at most, along each side. */
const MOST_SIDE = 48;
/** Coded value of a channel from which it may clip. */
const MAY_CLIP = 0.975;
/** Share of the pixels of a face that do not clip, from which its colour is known. */
const LEAST_SEEN = 0.3;
const DARKEST = 1e-3;

/**
 * Measures the skin of faces: the median of the pixels of each face, and the median of the faces, by size.
 * @param faces boxes in pixels of the picture
 * @returns undefined without faces
 */
export function skinOf(picture: Picture, faces: readonly FaceBox[]): Skin | undefined {
  if (faces.length === 0) return undefined;
  const measured = faces.map((face) => ({ ...skinOfFace(picture, face), size: face.width * face.height }));
  const middle = (of: (own: Skin) => number | undefined): number | undefined =>
    medianBySize(measured.flatMap((own) => [{ value: of(own) ?? NaN, size: own.size }]));
  const [red, green, blue] = [0, 1, 2].map((c) => middle(({ light }) => light[c])!) as [number, number, number];
  const [warm, tint] = [middle(({ colour }) => colour?.warm), middle(({ colour }) => colour?.tint)];
  const colour = warm === undefined || tint === undefined ? undefined : { warm, tint };
  return { light: [red, green, blue], colour };
}

function skinOfFace(picture: Picture, face: FaceBox): Skin {
  const { data, channels, width } = picture;
  const scale = 1 / maxSample(picture);
  const [green, blue] = colourChannels(picture) === 1 ? [0, 0] : [1, 2];
  const { left, top, right, bottom } = faceArea(face, picture);
  const step = Math.max(1, Math.floor(Math.max(right - left, bottom - top) / MOST_SIDE));
  const lights: [number[], number[], number[]] = [[], [], []];
  const [warms, tints]: [number[], number[]] = [[], []];
  for (let y = top; y < bottom; y += step) {
    for (let x = left; x < right; x += step) {
      if (faceMask(face, x + 0.5, y + 0.5) < INNER) continue;
      const i = (y * width + x) * channels;
      const coded = [data[i]! * scale, data[i + green]! * scale, data[i + blue]! * scale];
      const [r, g, b] = coded.map((value) => Math.max(DARKEST, linearLight(value))) as [number, number, number];
      lights[0].push(r);
      lights[1].push(g);
      lights[2].push(b);
      if (Math.max(...coded) > MAY_CLIP) continue;
      const { warm, tint } = castBy(r, g, b);
      warms.push(warm);
      tints.push(tint);
    }
  }
  const isSeen = warms.length > 0 && warms.length >= LEAST_SEEN * lights[0].length;
  return {
    light: lights.map(median) as [number, number, number],
    colour: isSeen ? { warm: median(warms), tint: median(tints) } : undefined,
  };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** @returns undefined if no value is a number */
function medianBySize(values: { value: number; size: number }[]): number | undefined {
  const known = values.filter(({ value }) => !Number.isNaN(value)).sort((a, b) => a.value - b.value);
  const half = known.reduce((sum, { size }) => sum + size, 0) / 2;
  let sum = 0;
  return known.find(({ size }) => (sum += size) >= half)?.value;
}
