import { countEnded, type BatchCounts, type BatchPrediction, type CountedBatch } from '@burnish/contract';

/** Times of a sample that has ended, in milliseconds. */
export interface SampleTimes {
  /** Since the epoch */
  startedAtMs: number;
  endedAtMs: number;
  /** Time in an engine; null if unknown, as for the hosted service */
  engineMs: number | null;
}

/** Facts about the samples that have ended. */
export interface SampleFacts {
  /** Charged credits of each finished sample */
  credits: readonly number[];
  failed: number;
  /** Failed samples whose upload had failed before they began */
  unreadable: number;
  /** Further items of the batch whose upload has failed. Only items that are uploads show it */
  knownUnreadable: number;
  /** Of each sample, in any order */
  times: readonly SampleTimes[];
}

/** Samples that run before the others: they start child processes and fill caches, so their time predicts nothing. */
export const WARM_UP_SAMPLES = 5;

/**
 * Predicts price, time and failures of a batch from its samples. Uploads that have failed cost nothing, and are counted. Of all
 * other items, each sample stands for the same number: one failure of twenty means a twentieth. The time of an item is the distance
 * between the ends of two samples if engines limit the rate, and otherwise its share of the time of all samples.
 */
export function predict(
  { credits, failed, unreadable, knownUnreadable, times }: SampleFacts,
  counts: BatchCounts,
): BatchPrediction {
  const ended = credits.length + failed;
  const left = counts.items - ended;
  if (ended === 0) return { credits: 0, seconds: 0, failures: 0 };
  const spent = credits.reduce((sum, each) => sum + each, 0);
  const trials = ended - unreadable;
  // Items that one sample stands for
  const share = trials === 0 ? 0 : (left - knownUnreadable) / trials;
  return {
    credits: Math.round(spent + spent * share),
    seconds: Math.ceil((Math.max(0, intervalMs(warmOnes(times))) * left) / 1000),
    failures: Math.round(failed + knownUnreadable + (failed - unreadable) * share),
  };
}

function warmOnes(times: readonly SampleTimes[]): SampleTimes[] {
  const inOrder = [...times].sort((a, b) => a.startedAtMs - b.startedAtMs);
  return inOrder.length > WARM_UP_SAMPLES ? inOrder.slice(WARM_UP_SAMPLES) : inOrder;
}

/** Share of the engines' time above which only the engines limit the rate. */
const BUSY = 0.8;

/** Milliseconds between the ends of two items, in the middle of many. */
function intervalMs(times: readonly SampleTimes[]): number {
  if (times.length === 0) return 0;
  const ends = times.map(({ endedAtMs }) => endedAtMs).sort((a, b) => a - b);
  const runs = times.map(({ endedAtMs, engineMs }) => [endedAtMs - (engineMs ?? Infinity), endedAtMs] as const);
  const engines = mostAtOnce(runs);
  // Engines that began together end together, so only whole rounds count. The last samples leave engines idle, and the
  // first one waits for its upload: neither happens in the middle of a batch.
  const rounds = Math.floor((ends.length - engines - 1) / engines);
  const [first, last] = [ends[0]!, ends[rounds * engines]!];
  if (rounds > 0 && busyMs(runs, first, last) >= BUSY * engines * (last - first)) {
    return (last - first) / (rounds * engines);
  }
  // The uploads limit the rate, and most of them end before the first sample does. So their time counts too.
  return workedMs(times) / times.length;
}

/** Milliseconds in which any sample was in work, without the waits for the next look of the batch. */
function workedMs(times: readonly SampleTimes[]): number {
  let until = -Infinity;
  let sum = 0;
  for (const { startedAtMs, endedAtMs } of [...times].sort((a, b) => a.startedAtMs - b.startedAtMs)) {
    sum += Math.max(0, endedAtMs - Math.max(startedAtMs, until));
    until = Math.max(until, endedAtMs);
  }
  return sum;
}

/** Start and end in an engine, in milliseconds. */
type EngineRun = readonly [from: number, to: number];

/** The most runs at the same time; infinite if one is unknown. */
function mostAtOnce(runs: readonly EngineRun[]): number {
  if (runs.some(([start]) => start === -Infinity)) return Infinity;
  const overlaps = runs.map(([start]) => runs.filter(([from, to]) => from <= start && start < to).length);
  return Math.max(1, ...overlaps);
}

/** The sum of all runs between two moments, in milliseconds. */
function busyMs(runs: readonly EngineRun[], since: number, until: number): number {
  return runs.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, until) - Math.max(from, since)), 0);
}

/**
 * Seconds until the end of a running batch. The prediction counts as much as its samples, so the pace of the items outweighs
 * it soon. Null for a batch that does not run or is open, and without a prediction and a pace.
 */
export function remainingSeconds(batch: CountedBatch): number | null {
  const { status, closedAt, items, prediction, samples, pace = { items: 0, seconds: 0 } } = batch;
  if (status !== 'RUNNING' || closedAt === null) return null;
  const ofBatch = items - samples;
  const timed = prediction === null || ofBatch <= 0 ? 0 : Math.max(1, samples - WARM_UP_SAMPLES);
  const known = timed + pace.items;
  if (known === 0) return null;
  const seconds = timed === 0 ? 0 : (timed * prediction!.seconds) / ofBatch;
  return Math.ceil(((seconds + pace.seconds) / known) * (items - countEnded(batch)));
}
