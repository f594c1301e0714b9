import type { Picture } from '../../src/image/picture.ts';

/** Reproducible random numbers from 0 to 1 (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Normally distributed numbers. */
export function gaussianNumbers(seed: number): () => number {
  const random = randomNumbers(seed);
  return () => nextGaussian(random);
}

/** A normally distributed number from two evenly distributed ones (Box and Muller). */
export function nextGaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Smooth noise of one octave between -1 and 1, by interpolation on a lattice. */
function valueNoise(seed: number, cell: number): (x: number, y: number) => number {
  const random = randomNumbers(seed);
  const lattice = Float32Array.from({ length: 64 * 64 }, () => random() * 2 - 1);
  const at = (i: number, j: number): number => lattice[(j & 63) * 64 + (i & 63)]!;
  return (x, y) => {
    const [i, j] = [Math.floor(x / cell), Math.floor(y / cell)];
    const smooth = (t: number): number => t * t * (3 - 2 * t);
    const [u, v] = [smooth(x / cell - i), smooth(y / cell - j)];
    const upper = at(i, j) * (1 - u) + at(i + 1, j) * u;
    return upper * (1 - v) + (at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u) * v;
  };
}

/**
 * A synthetic picture with the statistics of a photograph: sky, hills of 1/f texture, sharp outlines of saturated and neutral
 * objects, deep shade and highlights. It is well exposed and neutral. It is generated here, so no third-party licence applies.
 */
export function syntheticPhotograph(width: number, height: number, seed = 1): Picture {
  const octaves = [64, 32, 16, 8, 4, 2].map((cell, i) => ({
    at: valueNoise(seed * 100 + i, (cell * width) / 512),
    gain: cell / 64,
  }));
  const texture = (x: number, y: number): number => octaves.reduce((sum, { at, gain }) => sum + at(x, y) * gain, 0);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [u, v] = [x / width, y / height];
      const t = texture(x, y);
      const colour = things(u, v) ?? ground(u, v, t);
      const shade = v > 0.4 ? 1 + t * 0.25 : 1;
      for (let c = 0; c < 3; c += 1) {
        data[(y * width + x) * 3 + c] = Math.max(0, Math.min(255, Math.round(colour[c]! * shade)));
      }
    }
  }
  return { data, width, height, channels: 3, space: 'rgb', hasAlpha: false };
}

type Colour = [number, number, number];

/** Sky with a cloud, and ground with a gradient from shade to light. */
function ground(u: number, v: number, t: number): Colour {
  const horizon = 0.4 + 0.05 * Math.sin(u * 9);
  if (v < horizon) {
    const cloud = Math.max(0, Math.min(1, t * 1.4 - 0.1));
    return [130 + 112 * cloud + 40 * v, 165 + 78 * cloud + 30 * v, 212 + 30 * cloud];
  }
  const light = 0.35 + 0.75 * (1 - v) + 0.25 * Math.sin(u * 5 + v * 3);
  return [122 * light, 126 * light, 92 * light];
}

/** Objects with hard outlines: a grey wall with windows, a red and a blue object, a black and white post. */
function things(u: number, v: number): Colour | undefined {
  if (u > 0.08 && u < 0.36 && v > 0.25 && v < 0.72) {
    const window = (u * 25) % 2 < 0.9 && (v * 20) % 2 < 1;
    return window ? [38, 42, 50] : [188, 186, 182];
  }
  if ((u - 0.7) ** 2 + (v - 0.62) ** 2 < 0.011) return [178, 52, 44];
  if (Math.abs(u - 0.86) + Math.abs(v - 0.75) < 0.09) return [52, 78, 160];
  if (u > 0.5 && u < 0.53 && v > 0.15 && v < 0.9) return (v * 24) % 2 < 1 ? [244, 244, 242] : [10, 10, 12];
  return undefined;
}
