import { withLight } from '../quality/cases.ts';
import { colourError, type Rgb } from '../quality/metrics.ts';
import { mean } from '../mean.ts';
import { CAMERAS, underWrongBalance, WRONG_BALANCES } from './camera-casts.ts';
import { CONTENDERS, type Correct } from './contenders.ts';

/** One line of the table, with a value for each contender. */
export interface Row {
  name: string;
  cells: number[];
}

/** Difference of ΔE from which a result is better or worse. */
const NOTABLE = 1;
/** ΔE that people see at first sight, and that nobody sees. */
const [STRONG, UNTOUCHED] = [6, 0.5];
/** Stops of light at which a scene is compared with itself. */
const STOPS = [-2, -0.8, 0, 0.8, 1.2, 1.6];
/** Stops of light, in small steps, at which the order of the results is measured. */
const ORDER_STOPS = Array.from({ length: 19 }, (_, i) => -2 + i / 5);
/** Levels by which a scene with more light may come out darker: rounding. */
const ROUNDING = 1;

const share = (values: readonly number[], is: (v: number) => boolean): number =>
  (100 * values.filter(is).length) / values.length;
const level = ({ data }: Rgb): number => data.reduce((sum, v) => sum + v, 0) / data.length;

/** Asks every contender. @returns for each its figures, which all have the same names */
async function each(measure: (correct: Correct) => Promise<Record<string, number>>): Promise<Row[]> {
  const found: Record<string, number>[] = [];
  for (const correct of Object.values(CONTENDERS)) found.push(await measure(correct));
  return Object.keys(found[0]!).map((name) => ({ name, cells: found.map((own) => own[name]!) }));
}

/** The ΔE of a second pass over results. */
async function again(correct: Correct, results: readonly Rgb[]): Promise<number[]> {
  const changes: number[] = [];
  for (const result of results) changes.push(colourError(result, await correct(result)));
  return changes;
}

/** The distance of results from an expert's. */
export async function measurePairs(pairs: readonly { given: Rgb; truth: Rgb }[]): Promise<Row[]> {
  if (pairs.length === 0) return [];
  return each(async (correct) => {
    const results: Rgb[] = [];
    for (const { given } of pairs) results.push(await correct(given));
    const errors = pairs.map(({ truth }, i) => colourError(truth, results[i]!));
    const gains = pairs.map(({ given, truth }, i) => colourError(truth, given) - errors[i]!);
    return {
      pairs: mean(errors),
      'pairs, better of 100': share(gains, (gain) => gain > NOTABLE),
      'pairs, worse of 100': share(gains, (gain) => gain < -NOTABLE),
      'pairs, second pass': Math.max(...(await again(correct, results))),
    };
  });
}

/** The distance of the same scene at other exposures from itself, and the order of their results. */
export async function measureExposures(scenes: readonly Rgb[]): Promise<Row[]> {
  if (scenes.length === 0) return [];
  return each(async (correct) => {
    const errors = STOPS.map((): number[] => []);
    const [falls, changes]: [number[], number[]] = [[], []];
    for (const scene of scenes) {
      const results: Rgb[] = [];
      for (const stops of STOPS) results.push(await correct(withLight(scene, Array<number>(3).fill(2 ** stops))));
      results.forEach((result, i) => errors[i]!.push(colourError(scene, result)));
      const levels = results.map(level);
      falls.push(...levels.slice(1).map((own, i) => levels[i]! - own));
      changes.push(...(await again(correct, results)));
    }
    return {
      ...Object.fromEntries(STOPS.map((stops, i) => [`exposures, ${stops} stops`, mean(errors[i]!)])),
      'exposures, wrong order of 100': share(falls, (fall) => fall > ROUNDING),
      'exposures, worst order': Math.max(0, ...falls),
      'exposures, second pass': Math.max(...changes),
    };
  });
}

/** The order of the same scene at exposures in small steps: more light in is never less out. */
export async function measureOrder(scenes: readonly Rgb[]): Promise<Row[]> {
  if (scenes.length === 0) return [];
  return each(async (correct) => {
    const falls: number[] = [];
    for (const scene of scenes) {
      const levels: number[] = [];
      for (const stops of ORDER_STOPS)
        levels.push(level(await correct(withLight(scene, Array<number>(3).fill(2 ** stops)))));
      falls.push(...levels.slice(1).map((own, i) => levels[i]! - own));
    }
    return {
      'order, pairs': falls.length,
      'order, wrong by more than rounding': falls.filter((fall) => fall > ROUNDING).length,
      'order, worst': Math.max(0, ...falls),
    };
  });
}

/** The distance of pictures with the white balances of a camera from those with the right one. */
export async function measureCasts(scenes: readonly Rgb[]): Promise<Row[]> {
  if (scenes.length === 0) return [];
  return each(async (correct) => {
    const errors: number[] = [];
    const results: Rgb[] = [];
    for (const [index, scene] of scenes.entries()) {
      const way = index % WRONG_BALANCES.length;
      results.push(
        await correct(underWrongBalance(scene, WRONG_BALANCES[way]!, CAMERAS[(index + way) % CAMERAS.length]!)),
      );
      errors.push(colourError(scene, results.at(-1)!));
    }
    return { casts: mean(errors), 'casts, second pass': Math.max(...(await again(correct, results))) };
  });
}

/** The change of pictures that are good as they are. */
export async function measureKept(name: string, pictures: readonly Rgb[]): Promise<Row[]> {
  if (pictures.length === 0) return [];
  return each(async (correct) => {
    const results: Rgb[] = [];
    for (const picture of pictures) results.push(await correct(picture));
    const changes = pictures.map((picture, i) => colourError(picture, results[i]!));
    return {
      [name]: mean(changes),
      [`${name}, worst`]: Math.max(...changes),
      [`${name}, above ${STRONG}, of 100`]: share(changes, (change) => change > STRONG),
      [`${name}, untouched of 100`]: share(changes, (change) => change < UNTOUCHED),
      [`${name}, second pass`]: Math.max(...(await again(correct, results))),
    };
  });
}
