import { fileURLToPath } from 'node:url';
import { loadSession } from '../../neural/network.ts';
import { PACKAGE_FOLDER } from '../../package-folder.ts';
import { codedLight, linearLight } from './curves.ts';
import { LEVELS, meanAfter, partOf, valueAt, type ToneCorrection } from './tone-correction.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

const MODEL = fileURLToPath(new URL('models/tone/tone.onnx', PACKAGE_FOLDER));
/** Side of the network's input, pixels. */
const SIDE = 64;

/**
 * Coded value to which a picture's brightest points rise before the network sees it: it learned from up to 2.8 stops too little. At four
 * stops, the mean ΔE on the small set of `bench:quality` is then 6.9 instead of 12.0.
 */
const LEAST_POINTS = 0.46;

/** Mean ΔE below which a correction changes hardly a sample, and is not worth its price. */
const LEAST_CHANGE = 0.1;

/** Stops of light between the exposures at which a correction is compared. */
const STEP = 0.5;

/**
 * Predicts the correction of a picture from its thumbnail (tools/train/tone), with one thread and in about 3 ms. A picture that becomes
 * brighter takes as long again for each half stop up to the exposure that needs no correction.
 * @param points coded value of the brightest points, 0..1
 * @returns undefined for a picture that needs none
 * @throws Error when the network cannot run on this machine
 */
export async function predictTone(thumbnail: ToneThumbnail, points: number): Promise<ToneCorrection | undefined> {
  const network = await loadSession(MODEL, 1, 'disabled');
  const predict = async (seen: Float32Array): Promise<Prediction> => predictionOf(await network.run(seen, SIDE, SIDE));
  const gain = points > 0 && points < LEAST_POINTS ? linearLight(LEAST_POINTS) / linearLight(points) : 1;
  const lit = withGain(gain);
  const given = squared(thumbnail);
  const seen = given.map(lit);
  const { correction, changes } = await predict(seen);
  if (!changes && gain === 1) return undefined;
  const [red, green, blue] = correction.tables.map((table) =>
    table.map((_, v) => valueAt(table, lit(v / (LEVELS - 1)))),
  );
  const whole = { tables: [red!, green!, blue!] as const, matrix: correction.matrix };
  const [before, after] = [meanOf(given), meanAfter(seen, correction)];
  if (after <= before) return whole;
  const most = await leastWithMoreLight(seen, Math.max(points, LEAST_POINTS), predict);
  if (most <= before) return undefined;
  return most >= after ? whole : partOf(whole, (most - before) / (after - before));
}

interface Prediction {
  correction: ToneCorrection;
  /** It changes more than a few samples */
  changes: boolean;
}

function predictionOf(outputs: Awaited<ReturnType<Awaited<ReturnType<typeof loadSession>>['run']>>): Prediction {
  const [all, matrix, change] = ['tables', 'matrix', 'change'].map((name) => outputs[name]!.data as Float32Array);
  const [red, green, blue] = [0, 1, 2].map((c) => all!.slice(c * LEVELS, (c + 1) * LEVELS));
  const [difference, strength] = change as unknown as [number, number];
  return {
    correction: { tables: [red!, green!, blue!], matrix: Float32Array.from(matrix!) },
    changes: difference * strength >= LEAST_CHANGE,
  };
}

/**
 * Returns the least mean, 0..1, that the same scene reaches with more light, up to where its brightest points clip, or up to the first
 * exposure that needs no correction. The network may make a dark picture slightly brighter than a better one that it leaves alone, and this
 * is the most that it may.
 * @param seen three planes of coded values, 0..1
 */
async function leastWithMoreLight(
  seen: Float32Array,
  points: number,
  predict: (seen: Float32Array) => Promise<Prediction>,
): Promise<number> {
  const room = -Math.log2(linearLight(points));
  const reached = async (stops: number): Promise<{ mean: number; changes: boolean }> => {
    const brighter = seen.map(withGain(2 ** stops));
    const { correction, changes } = await predict(brighter);
    return { mean: meanAfter(brighter, correction), changes };
  };
  let least = Infinity;
  // Whole steps below clipping, so that all exposures of a scene are compared with the same ones.
  for (let step = Math.ceil(room / STEP) - 1; step >= 0; step -= 1) {
    const stops = room - step * STEP;
    const { mean, changes } = await reached(stops);
    least = Math.min(least, mean);
    if (changes) continue;
    // The exposure below it may need none either.
    return stops > STEP / 2 ? Math.min(least, (await reached(stops - STEP / 2)).mean) : least;
  }
  return least;
}

/** Returns the function of coded values, 0..1, that multiplies their light. */
function withGain(gain: number): (value: number) => number {
  if (gain === 1) return (value) => value;
  const table = Float32Array.from({ length: LEVELS }, (_, v) => codedLight(linearLight(v / (LEVELS - 1)) * gain));
  return (value) => Math.min(1, valueAt(table, value));
}

function meanOf(planes: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < planes.length; i += 1) sum += planes[i]!;
  return sum / planes.length;
}

/**
 * Returns three planes of a square, 0..1, of the means of the opaque cells. Where none is opaque, visible values are repeated, so that
 * what nobody sees has no influence.
 */
function squared({ width, height, cells, opaque }: ToneThumbnail): Float32Array {
  const count = SIDE * SIDE;
  const planes = new Float32Array(3 * count);
  const [across, down] = [spans(width), spans(height)];
  const [seen, unseen]: [number[], number[]] = [[], []];
  for (let to = 0; to < count; to += 1) {
    const [rows, columns] = [down[(to / SIDE) | 0]!, across[to % SIDE]!];
    let [red, green, blue, total] = [0, 0, 0, 0];
    for (let y = 0; y < rows.shares.length; y += 1) {
      const high = rows.shares[y]!;
      const row = (rows.first + y) * width + columns.first;
      for (let x = 0; x < columns.shares.length; x += 1) {
        const cell = row + x;
        const weight = high * columns.shares[x]! * opaque[cell]!;
        red += weight * cells[3 * cell]!;
        green += weight * cells[3 * cell + 1]!;
        blue += weight * cells[3 * cell + 2]!;
        total += weight * FULL;
      }
    }
    if (total === 0) {
      unseen.push(to);
      continue;
    }
    seen.push(to);
    planes[to] = red / total;
    planes[count + to] = green / total;
    planes[2 * count + to] = blue / total;
  }
  unseen.forEach((to, i) => {
    for (let c = 0; c < 3; c += 1) planes[c * count + to] = planes[c * count + seen[i % seen.length]!]!;
  });
  return planes;
}

/** Neighbouring cells, each with the share of it that lies inside of a span. */
interface Span {
  first: number;
  shares: Float64Array;
}

/** Returns for each of `SIDE` equal spans of a side its cells. */
function spans(cells: number): Span[] {
  const step = cells / SIDE;
  return Array.from({ length: SIDE }, (_, i) => {
    const [from, to] = [i * step, (i + 1) * step];
    const first = Math.floor(from);
    const length = Math.min(cells, Math.ceil(to)) - first;
    const shares = Float64Array.from({ length }, (_cell, n) => Math.min(to, first + n + 1) - Math.max(from, first + n));
    return { first, shares };
  });
}
