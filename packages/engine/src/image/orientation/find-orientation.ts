import { isLight, type Picture } from '../picture.ts';
import type { QuarterTurns } from '../quarter-turn.ts';
import { letterWindows, WINDOW_SIDE } from './letter-windows.ts';
import { uprightLogs, uprightNetwork } from './upright-network.ts';

/** Least letters that prove a direction. */
const LEAST_LETTERS = 20;
/** Least logarithm of a probability: one strange letter proves nothing. */
const LEAST_LOG = -4;
/** By how much the letters prefer a direction to each other one: in the mean, and in standard errors of it. */
const CERTAIN = { mean: 0.4, errors: 8 } as const;

/** What the letters of a page say about its direction. */
export interface LetterEvidence {
  /** Quarter turns clockwise after which they stand most upright */
  turns: QuarterTurns;
  /** How much they prefer that to the next best direction: the mean of the logarithms, and that in standard errors */
  mean: number;
  errors: number;
  letters: number;
}

/**
 * Finds the quarter turns clockwise that make a page upright, by the shapes of its letters.
 * @returns undefined where they are too few or too doubtful, and for pictures in inks
 */
export function findOrientation(picture: Picture): QuarterTurns | undefined {
  const found = measureOrientation(picture);
  if (found === undefined || found.letters < LEAST_LETTERS) return undefined;
  return found.mean >= CERTAIN.mean && found.errors >= CERTAIN.errors ? found.turns : undefined;
}

/** Measures how upright the letters of a page stand in each direction. @returns undefined without two letters, and for inks */
export function measureOrientation(picture: Picture): LetterEvidence | undefined {
  if (!isLight(picture)) return undefined;
  const { count, samples } = letterWindows(picture);
  if (count < 2) return undefined;
  const network = uprightNetwork();
  const logs = Array.from({ length: count }, (_, k) =>
    uprightLogs(network, samples.subarray(k * WINDOW_SIDE ** 2, (k + 1) * WINDOW_SIDE ** 2)).map((log) =>
      Math.max(LEAST_LOG, log),
    ),
  );
  const sums = [0, 1, 2, 3].map((turns) => logs.reduce((sum, each) => sum + each[turns]!, 0));
  const turns = sums.indexOf(Math.max(...sums)) as QuarterTurns;
  const others = [0, 1, 2, 3].filter((other) => other !== turns);
  const compared = others.map((other) => compare(logs.map((each) => each[turns]! - each[other]!)));
  return {
    turns,
    mean: Math.min(...compared.map(({ mean }) => mean)),
    errors: Math.min(...compared.map(({ errors }) => errors)),
    letters: count,
  };
}

/** The mean of some numbers, and that in standard errors. */
function compare(values: readonly number[]): { mean: number; errors: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return { mean, errors: variance === 0 ? 0 : mean / Math.sqrt(variance / values.length) };
}
