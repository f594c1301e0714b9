import { readWeights } from '../read-weights.ts';
import { FEATURES } from './tone-features.ts';

/** Parts of good photographs that have a lower value than a quantile. */
export const PARTS = [
  0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98,
];
/** Sizes of the hidden layers. */
const [FIRST, SECOND] = [128, 64];

/** A perceptron, whose input is normalized, and whose output is a mean and steps of quantiles. */
export interface Perceptron {
  inputs: number;
  mean: Float32Array;
  scale: Float32Array;
  /** Weights by input then output, and offsets, of each layer */
  layers: [Float32Array, Float32Array][];
  /** Mean and spread of the target */
  target: Float32Array;
}

/** Sizes of the layers of a perceptron. */
export const sizesOf = (inputs: number): number[] => [inputs, FIRST, SECOND, PARTS.length];

/** The networks of one quantity: their quantiles are averaged. */
export interface ToneRegion {
  /** Black given the canonical picture */
  black: Perceptron[];
  /** White given that, and the middle and black of the result */
  white: Perceptron[];
  /** Filters of histograms of colours, and of brightness */
  casts: Float32Array;
  middles: Float32Array;
}

let region: ToneRegion | undefined;

/** Loads the weights that tools/train/tone made, once. */
export function toneRegion(): ToneRegion {
  return (region ??= {
    ...readLevels(readWeights('tone/levels.bin')),
    casts: readWeights('tone/casts.bin'),
    middles: readWeights('tone/middles.bin'),
  });
}

/** @param values for each pair of networks the weights of black, then of white */
function readLevels(values: Float32Array): Pick<ToneRegion, 'black' | 'white'> {
  const found: Pick<ToneRegion, 'black' | 'white'> = { black: [], white: [] };
  let at = 0;
  const take = (length: number): Float32Array => values.subarray(at, (at += length));
  while (at < values.length) {
    for (const [name, inputs] of [
      ['black', FEATURES],
      ['white', FEATURES + 2],
    ] as const) {
      const sizes = sizesOf(inputs);
      const [mean, scale, target] = [take(inputs), take(inputs), take(2)];
      const layers = sizes.slice(1).map((to, i): [Float32Array, Float32Array] => [take(sizes[i]! * to), take(to)]);
      found[name].push({ inputs, mean, scale, target, layers });
    }
  }
  return found;
}

/** Returns the quantiles at `PARTS` of good photographs that look like this one. */
export function quantilesOf(networks: readonly Perceptron[], features: Float32Array): Float64Array {
  const sum = new Float64Array(PARTS.length);
  for (const network of networks) {
    const [mean, scale] = network.target as unknown as [number, number];
    outputQuantiles(run(network, features)).forEach(
      (value, i) => (sum[i]! += (value * scale + mean) / networks.length),
    );
  }
  return sum;
}

/** Returns ascending quantiles from the median and the logarithms of steps away from it. */
export function outputQuantiles(output: ArrayLike<number>): Float64Array {
  const quantiles = new Float64Array(PARTS.length);
  const middle = PARTS.length >> 1;
  quantiles[middle] = output[middle]!;
  for (let i = middle + 1; i < PARTS.length; i += 1) quantiles[i] = quantiles[i - 1]! + softplus(output[i]! - 2);
  for (let i = middle - 1; i >= 0; i -= 1) quantiles[i] = quantiles[i + 1]! - softplus(output[i]! - 2);
  return quantiles;
}

const softplus = (value: number): number => Math.log1p(Math.exp(value));

function run({ mean, scale, layers }: Perceptron, features: Float32Array): Float32Array {
  let values = features.map((value, i) => Math.min(4, Math.max(-4, (value - mean[i]!) / scale[i]!)));
  for (const [n, [weights, offsets]] of layers.entries()) {
    const next = offsets.slice();
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i]!;
      for (let o = 0, w = i * next.length; o < next.length; o += 1, w += 1) next[o]! += value * weights[w]!;
    }
    values = n === layers.length - 1 ? next : next.map((value) => (value > 0 ? value : 0.1 * value));
  }
  return values;
}
