import { randomBytes } from 'node:crypto';
import type { UploadRecord } from '../../test/e2e/api.ts';
import { readEvents } from '../../test/e2e/events.ts';
import type { Instance } from '../../test/support/instance.ts';

/** Settings of a measured instance. */
export const BENCH_SETTINGS = { BURNISH_CREDITS_PER_PERIOD: '1000000', BURNISH_LOG_LEVEL: 'error' };

export interface Job {
  /** From the first sent byte to the received FINISHED, milliseconds */
  totalMs: number;
  /** The engine's own measurement, milliseconds */
  engineMs: number;
}

/** Sends a file with one enhancement, and waits until it ends. */
export async function runJob(
  { api, url, apiKey }: Instance,
  file: Uint8Array,
  order: Record<string, unknown> = {},
): Promise<Job> {
  const begun = performance.now();
  const { status, body } = await api.upload(file, { enhancements: [{}], ...order });
  if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
  const engineMs = await untilFinished({ url, apiKey }, body);
  return { totalMs: performance.now() - begun, engineMs };
}

/** Follows the events of an upload until its first enhancement has finished. @returns milliseconds of the engine */
export async function untilFinished(
  { url, apiKey }: Pick<Instance, 'url' | 'apiKey'>,
  { id, enhancements }: UploadRecord,
): Promise<number> {
  for await (const { data } of readEvents(`${url}/v1/uploads/${id}/events?until=settled`, apiKey)) {
    if (data['id'] !== enhancements[0]!.id) continue;
    if (data['status'] === 'FINISHED') return Number(data['engineDuration'] ?? 0);
    if (data['status'] === 'ERROR') throw new Error(`An enhancement failed: ${JSON.stringify(data)}`);
  }
  throw new Error('The event stream ended without FINISHED.');
}

/** Makes each file unique with appended bytes, so that no result is reused. */
export const distinct = (jpeg: Buffer, count: number): Buffer[] =>
  Array.from({ length: count }, () => Buffer.concat([jpeg, randomBytes(16)]));

/**
 * Processes all items, `width` at a time.
 * @returns seconds, and the results in order of completion
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<{ seconds: number; results: Result[] }> {
  const rest = items.values();
  const results: Result[] = [];
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of rest) results.push(await work(item));
    }),
  );
  return { seconds: (performance.now() - begun) / 1000, results };
}

/** @param share 0.5 for the median, 0.95 for p95 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
