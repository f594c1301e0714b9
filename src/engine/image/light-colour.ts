import { linearLight } from './linear-light.ts';

/** Order of the Minkowski norm of shades of grey (Finlayson and Trezzi, 2004): bright things tell more of the light. */
const NORM = 6;
/** Logarithms of the ratios of linear channels below which a pixel may be a grey thing under coloured light. */
const NEAR_NEUTRAL = 1;
/** Coded values in which no channel is clipped or drowned. */
const TELLING = { least: 0.06, most: 0.97 };
/** Of the near-neutral pixels this part may lean less than the cast, or to the other side, and it is still a cast. */
const EXCEPTIONS = 0.15;
const LEAST_PIXELS = 50;
/** Leans that differ less, as a range of the middle four fifths, are one hue: a toned picture or a drawing, which is meant so. */
const ONE_HUE = 0.04;

/** The colour of the light that a picture was taken under. */
export interface LightColour {
  /** Natural logarithms of red over green and of blue over green, in linear light; 0 for neutral */
  red: number;
  blue: number;
  /** Part of the pixels that is near neutral, 0..1: how much there is to judge by */
  neutralPart: number;
}

/**
 * Estimates the light. Shades of grey over the near-neutral pixels say which way it leans; by how much is what nearly all
 * of those pixels share: under a lamp nothing is neutral, while a blue sky or a wooden table leaves other things as they are.
 * @param pixels red, green and blue in turn, coded, 0..1
 */
export function lightColour(pixels: Float32Array): LightColour {
  const leans: [number, number][] = [];
  const sums: [number, number, number] = [0, 0, 0];
  for (let i = 0; i < pixels.length; i += 3) {
    const [r, g, b] = [pixels[i]!, pixels[i + 1]!, pixels[i + 2]!];
    if (Math.max(r, g, b) > TELLING.most || Math.min(r, g, b) < TELLING.least) continue;
    const [red, green, blue] = [linearLight(r), linearLight(g), linearLight(b)];
    const [u, v] = [Math.log(red / green), Math.log(blue / green)];
    if (Math.max(Math.abs(u), Math.abs(v), Math.abs(u - v) / 1.3) > NEAR_NEUTRAL) continue;
    leans.push([u, v]);
    sums[0] += red ** NORM;
    sums[1] += green ** NORM;
    sums[2] += blue ** NORM;
  }
  const neutralPart = leans.length / (pixels.length / 3);
  if (leans.length < LEAST_PIXELS) return { red: 0, blue: 0, neutralPart };
  const way = [Math.log(sums[0] / sums[1]) / NORM, Math.log(sums[2] / sums[1]) / NORM] as const;
  const length = Math.hypot(...way);
  if (length === 0) return { red: 0, blue: 0, neutralPart };
  const along = Float32Array.from(leans, ([u, v]) => (u * way[0] + v * way[1]) / length).sort();
  const part = (share: number): number => along[Math.floor(along.length * share)]!;
  if (part(0.9) - part(0.1) < ONE_HUE) return { red: 0, blue: 0, neutralPart };
  const shared = Math.min(length, Math.max(0, part(EXCEPTIONS)));
  return { red: (way[0] / length) * shared, blue: (way[1] / length) * shared, neutralPart };
}
