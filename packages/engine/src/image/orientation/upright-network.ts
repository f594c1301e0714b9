import { readWeights } from '../read-weights.ts';
import type { Picture } from '../picture.ts';
import { quarterTurned } from '../quarter-turn.ts';
import { WINDOW_SIDE } from './letter-windows.ts';

/** Units of the hidden layer. */
export const HIDDEN = 40;
const INPUTS = WINDOW_SIDE ** 2;

/** A perceptron of one hidden layer, which says how upright the letter of a window stands. */
export interface UprightNetwork {
  /** Weights by input, then hidden unit */
  hidden: Float32Array;
  offsets: Float32Array;
  output: Float32Array;
}

/** Number of weights in the file of the network. */
export const WEIGHTS = INPUTS * HIDDEN + 2 * HIDDEN;

/** Reads a network from its weights. */
export const networkOf = (weights: Float32Array): UprightNetwork => ({
  hidden: weights.subarray(0, INPUTS * HIDDEN),
  offsets: weights.subarray(INPUTS * HIDDEN, INPUTS * HIDDEN + HIDDEN),
  output: weights.subarray(INPUTS * HIDDEN + HIDDEN, WEIGHTS),
});

let loaded: UprightNetwork | undefined;

/** Loads the weights that tools/train/orientation made, once. */
export function uprightNetwork(): UprightNetwork {
  return (loaded ??= networkOf(readWeights('orientation/letters.bin')));
}

/** The places of a window, in a picture. */
const PLACES: Picture = {
  ...{ width: WINDOW_SIDE, height: WINDOW_SIDE, channels: 1, space: 'grey', hasAlpha: false },
  data: Uint16Array.from({ length: INPUTS }, (_, place) => place),
};

/** For each quarter turn clockwise, the place in a window that each place of the turned window shows. */
const TURNED_PLACES = ([0, 1, 2, 3] as const).map((turns) => quarterTurned(PLACES, turns).data);

/**
 * Says how likely a letter stands upright after each number of quarter turns clockwise.
 * @param window levels of ink, 0 to 255
 * @returns logarithms of the four probabilities
 */
export function uprightLogs(network: UprightNetwork, window: Uint8Array): number[] {
  const scores = TURNED_PLACES.map((places) => score(network, window, places));
  const most = Math.max(...scores);
  const total = Math.log(scores.reduce((sum, value) => sum + Math.exp(value - most), 0)) + most;
  return scores.map((value) => value - total);
}

const units = new Float32Array(HIDDEN);

function score({ hidden, offsets, output }: UprightNetwork, window: Uint8Array, places: Picture['data']): number {
  units.set(offsets);
  for (let at = 0; at < INPUTS; at += 1) {
    const level = window[places[at]!]! / 255;
    if (level === 0) continue;
    for (let unit = 0, weight = at * HIDDEN; unit < HIDDEN; unit += 1, weight += 1)
      units[unit]! += level * hidden[weight]!;
  }
  let sum = 0;
  for (let unit = 0; unit < HIDDEN; unit += 1) sum += Math.max(0, units[unit]!) * output[unit]!;
  return sum;
}
