import {
  outputQuantiles,
  PARTS,
  sizesOf,
  type Perceptron,
} from '../../../packages/engine/src/image/steps/tone-region.ts';
import type { Random } from './random.ts';

export const BATCH = 128;
/** Shares of values that a step drops before each layer. */
const DROPPED = [0.1, 0.3, 0.15];
/** Slope of a negative value of a hidden layer. */
const LEAK = 0.1;
/** AdamW (Loshchilov and Hutter, 2019). */
const [FORGET, FORGET_SQUARE, TINY, DECAY] = [0.9, 0.999, 1e-8, 0.02];

interface Layer {
  from: number;
  to: number;
  /** Weights and offsets, each with its gradient and its two moments */
  parts: { values: Float32Array; gradient: Float32Array; first: Float32Array; second: Float32Array }[];
}

/** Trains one perceptron step by step. */
export interface Trainer {
  /** @param inputs normalized, a sample after the other. @returns the mean loss */
  step(inputs: Float32Array, targets: Float32Array, rate: number): number;
  layers(): Perceptron['layers'];
}

export function createTrainer(inputs: number, random: Random): Trainer {
  const sizes = sizesOf(inputs);
  const layers = sizes.slice(1).map((to, n): Layer => {
    const from = sizes[n]!;
    const bound = 1 / Math.sqrt(from);
    const part = (length: number): Layer['parts'][number] => ({
      values: Float32Array.from({ length }, () => random.between(-bound, bound)),
      gradient: new Float32Array(length),
      first: new Float32Array(length),
      second: new Float32Array(length),
    });
    return { from, to, parts: [part(from * to), part(to)] };
  });
  let steps = 0;
  return {
    step(given, targets, rate) {
      const values: Float32Array[] = [];
      const kept: Float32Array[] = [];
      let current = given;
      for (const [n, { from, to, parts }] of layers.entries()) {
        const share = DROPPED[n]!;
        const keep = Float32Array.from({ length: BATCH * from }, () => (random.next() < share ? 0 : 1 / (1 - share)));
        current = current.map((value, i) => value * keep[i]!);
        values.push(current);
        kept.push(keep);
        current = forward(current, { from, to, parts });
        if (n < layers.length - 1) current = current.map((value) => (value > 0 ? value : LEAK * value));
      }
      const { loss, gradient } = pinball(current, targets);
      let back = gradient;
      for (let n = layers.length - 1; n >= 0; n -= 1) {
        const below = backward(back, values[n]!, layers[n]!);
        if (n === 0) break;
        // A dropped value is 0, so its sign does not matter.
        back = below.map((value, i) => value * kept[n]![i]! * (values[n]![i]! < 0 ? LEAK : 1));
      }
      steps += 1;
      for (const { parts } of layers) for (const part of parts) update(part, rate, steps);
      return loss;
    },
    layers: () => layers.map(({ parts: [weights, offsets] }) => [weights!.values, offsets!.values]),
  };
}

function forward(values: Float32Array, { from, to, parts: [weights, offsets] }: Layer): Float32Array {
  const result = new Float32Array(BATCH * to);
  const w = weights!.values;
  for (let s = 0; s < BATCH; s += 1) {
    result.set(offsets!.values, s * to);
    for (let i = 0; i < from; i += 1) {
      const value = values[s * from + i]!;
      if (value === 0) continue;
      for (let o = s * to, k = i * to, end = o + to; o < end; o += 1, k += 1) result[o]! += value * w[k]!;
    }
  }
  return result;
}

/** Sets the gradients of a layer. @returns that of its values */
function backward(
  back: Float32Array,
  values: Float32Array,
  { from, to, parts: [weights, offsets] }: Layer,
): Float32Array {
  const below = new Float32Array(BATCH * from);
  const [w, g] = [weights!.values, weights!.gradient.fill(0)];
  const offset = offsets!.gradient.fill(0);
  for (let s = 0; s < BATCH; s += 1) {
    for (let o = 0; o < to; o += 1) offset[o]! += back[s * to + o]!;
    for (let i = 0; i < from; i += 1) {
      const value = values[s * from + i]!;
      if (value === 0) continue;
      let sum = 0;
      for (let o = s * to, k = i * to, end = o + to; o < end; o += 1, k += 1) {
        g[k]! += value * back[o]!;
        sum += w[k]! * back[o]!;
      }
      below[s * from + i] = sum;
    }
  }
  return below;
}

/** Loss of quantiles (Koenker and Bassett, 1978), and its gradient by the outputs. */
function pinball(outputs: Float32Array, targets: Float32Array): { loss: number; gradient: Float32Array } {
  const count = PARTS.length;
  const middle = count >> 1;
  const gradient = new Float32Array(outputs.length);
  let loss = 0;
  for (let s = 0; s < BATCH; s += 1) {
    const own = outputs.subarray(s * count, (s + 1) * count);
    const slopes = outputQuantiles(own).map((quantile, i) => {
      const error = targets[s]! - quantile;
      loss += error > 0 ? PARTS[i]! * error : (PARTS[i]! - 1) * error;
      return (error > 0 ? -PARTS[i]! : 1 - PARTS[i]!) / (count * BATCH);
    });
    const to = gradient.subarray(s * count, (s + 1) * count);
    const slopeOf = (i: number): number => 1 / (1 + Math.exp(2 - own[i]!));
    let sum = 0;
    for (let i = count - 1; i > middle; i -= 1) to[i] = slopeOf(i) * (sum += slopes[i]!);
    const above = sum;
    sum = 0;
    for (let i = 0; i < middle; i += 1) to[i] = -slopeOf(i) * (sum += slopes[i]!);
    to[middle] = slopes[middle]! + above + sum;
  }
  return { loss: loss / (count * BATCH), gradient };
}

function update({ values, gradient, first, second }: Layer['parts'][number], rate: number, step: number): void {
  const [bias, biasSquare] = [1 - FORGET ** step, 1 - FORGET_SQUARE ** step];
  for (let i = 0; i < values.length; i += 1) {
    const slope = gradient[i]!;
    first[i] = FORGET * first[i]! + (1 - FORGET) * slope;
    second[i] = FORGET_SQUARE * second[i]! + (1 - FORGET_SQUARE) * slope * slope;
    const change = first[i]! / bias / (Math.sqrt(second[i]! / biasSquare) + TINY);
    values[i] = values[i]! * (1 - rate * DECAY) - rate * change;
  }
}
