import { fileURLToPath } from 'node:url';
import { loadSession, type Session } from '../../neural/network.ts';
import { PACKAGE_FOLDER } from '../../package-folder.ts';
import { codedLight, linearLight } from './curves.ts';
import { correctedPlanes, LEVELS, NO_CORRECTION, partOf, valueAt, type ToneCorrection } from './tone-correction.ts';
import { FULL, type ToneThumbnail } from './tone-thumbnail.ts';

const MODEL = fileURLToPath(new URL('models/tone/tone.onnx', PACKAGE_FOLDER));
/** Side of the network's input, pixels. */
const SIDE = 64;

/**
 * Coded value to which a picture's brightest points rise before the network sees it: it learned from up to 2.8 stops too little. At four
 * stops, the mean ΔE on the small set of `bench:tone` is then 6.9 instead of 12.0.
 */
const LEAST_POINTS = 0.46;

/** Mean ΔE below which a correction changes hardly a sample, and is not worth its price. */
const LEAST_CHANGE = 0.1;

/** Maximum number of corrections, each of the result of the one before: a very flat picture needs two. */
const MOST_CORRECTIONS = 2;
/** The network is in doubt if a further one has this mean ΔE, and this part of the first. Pastel charts drift on, and never settle. */
const [DOUBT, DOUBT_PART] = [0.5, 0.25];

/** Stops of light between the exposures at which a correction is compared. */
const STEP = 0.5;

/**
 * Predicts the corrections of a picture from its thumbnail (tools/train/tone), with one thread and in about 2 ms each. A picture that
 * becomes brighter takes as long again for each half stop up to the exposure that needs no correction.
 * @param points coded value of the brightest points, 0..1
 * @returns corrections to apply one after the other, mostly none or one
 * @throws Error when the network cannot run on this machine
 */
export async function predictTone(thumbnail: ToneThumbnail, points: number): Promise<readonly ToneCorrection[]> {
  const network = await loadSession(MODEL, 1, 'disabled');
  const gain = points > 0 && points < LEAST_POINTS ? linearLight(LEAST_POINTS) / linearLight(points) : 1;
  const lit = withGain(gain);
  const given = squared(thumbnail);
  const seen = given.map(lit);
  const { corrections, mean: after } = await predictAll(network, seen);
  const whole = gain === 1 ? corrections : afterGain(corrections, lit);
  const before = meanOf(given);
  if (whole.length === 0 || after <= before) return whole;
  const most = await leastWithMoreLight(network, seen, Math.max(points, LEAST_POINTS));
  const part = Math.min(1, (most - before) / (after - before));
  if (part <= 0) return [];
  return part === 1 ? whole : whole.map((correction) => partOf(correction, part));
}

/** Returns corrections of a picture to which a gain was given before. */
function afterGain(
  [first = NO_CORRECTION, ...further]: readonly ToneCorrection[],
  lit: (value: number) => number,
): ToneCorrection[] {
  const [red, green, blue] = first.tables.map((table) => table.map((_, v) => valueAt(table, lit(v / (LEVELS - 1)))));
  return [{ tables: [red!, green!, blue!], matrix: first.matrix }, ...further];
}

interface Prediction {
  /** Corrections, one after the other */
  corrections: readonly ToneCorrection[];
  /** Mean of the picture after them, 0..1 */
  mean: number;
}

/**
 * Predicts corrections until the network leaves their result alone, so that a second enhancement changes nothing. Where it never does, it is
 * in doubt, and nothing changes. On 903 public photographs, a second pass then changes at most a mean ΔE of 3 instead of 9.
 */
async function predictAll(network: Session, seen: Float32Array): Promise<Prediction> {
  const corrections: ToneCorrection[] = [];
  let [after, most] = [seen, DOUBT];
  for (;;) {
    const { correction, change } = correctionOf(await network.run(after, SIDE, SIDE));
    const last = corrections.length === MOST_CORRECTIONS;
    if (last && change > most) return { corrections: [], mean: meanOf(seen) };
    if (last || change < LEAST_CHANGE) break;
    most = Math.max(most, DOUBT_PART * change);
    corrections.push(correction);
    after = correctedPlanes(after, correction);
  }
  return { corrections, mean: meanOf(after) };
}

/** Returns the correction in the outputs of the network, and the mean ΔE by which it changes the picture. */
function correctionOf(outputs: Awaited<ReturnType<Session['run']>>): { correction: ToneCorrection; change: number } {
  const [all, matrix, change] = ['tables', 'matrix', 'change'].map((name) => outputs[name]!.data);
  const [red, green, blue] = [0, 1, 2].map((c) => all!.slice(c * LEVELS, (c + 1) * LEVELS));
  const [difference, strength] = change as unknown as [number, number];
  return {
    correction: { tables: [red!, green!, blue!], matrix: Float32Array.from(matrix!) },
    change: difference * strength,
  };
}

/**
 * Returns the least mean, 0..1, that the same scene reaches with more light, up to where its brightest points clip, or up to the first
 * exposure that needs no correction. The network may make a dark picture slightly brighter than a better one that it leaves alone, and this
 * is the most that it may.
 * @param seen three planes of coded values, 0..1
 */
async function leastWithMoreLight(network: Session, seen: Float32Array, points: number): Promise<number> {
  const room = -Math.log2(linearLight(points));
  const reached = async (stops: number): Promise<Prediction> => predictAll(network, seen.map(withGain(2 ** stops)));
  let least = Infinity;
  // Whole steps below clipping, so that all exposures of a scene are compared with the same ones.
  for (let step = Math.ceil(room / STEP) - 1; step >= 0; step -= 1) {
    const stops = room - step * STEP;
    const { corrections, mean } = await reached(stops);
    least = Math.min(least, mean);
    if (corrections.length > 0) continue;
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
