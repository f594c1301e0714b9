import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Api } from '../../e2e/api.ts';
import { until } from '../../e2e/until.ts';
import type { Burst, BurstAnswer } from './flood.ts';

/** Maximum response time for every caller, milliseconds. */
const ANSWERED_WITHIN_MS = 15_000;

/**
 * Expects that every caller got a timely response, that accepted work finishes, and that no other records exist.
 * @returns a sentence with the time at which all work had finished
 */
export async function expectSoundBurst(api: Api, answers: readonly BurstAnswer[]): Promise<string> {
  const accepted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  expect(answers.filter(({ ms }) => ms > ANSWERED_WITHIN_MS).length).toBe(0);
  expect(refused.filter(({ status, body }) => status !== 503 || body.code !== 'UNAVAILABLE')).toEqual([]);
  expect(answers.filter(({ key }) => key === undefined)).toEqual([]);
  expect(refused.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
  expect(accepted.length).toBeGreaterThan(0);

  const ids = new Set(accepted.map(({ body }) => body.id));
  const listed = async (): Promise<{ id: string; status: string }[]> => {
    const all: { id: string; status: string }[] = [];
    for (let after = ''; ;) {
      const path = `/v1/uploads?limit=100${after === '' ? '' : `&after=${after}`}`;
      const { body } = await api.get<{ items: { id: string; status: string }[]; next: string | null }>(path);
      all.push(...body.items);
      if (body.next === null) return all;
      after = body.next;
    }
  };
  const startedAt = performance.now();
  await until(async () => {
    const records = await listed();
    const isDone = records.length === ids.size && records.every(({ status }) => status === 'UPLOAD_FINISHED');
    return isDone ? true : undefined;
  }, 1_000);
  expect(new Set((await listed()).map(({ id }) => id))).toEqual(ids);

  return `all that was accepted had finished ${((performance.now() - startedAt) / 1000).toFixed(0)} s after the last answer`;
}

/** Server-side times of one request, measured by `answer-times.mjs`, milliseconds since the epoch. */
export interface ServedAnswer {
  status: number;
  connectedAt: number;
  /** All headers have arrived */
  readAt: number;
  answeredAt: number;
}

/** Reads the measurements that the processes wrote into the folder at their exit. */
export async function servedAnswers(folder: string): Promise<ServedAnswer[]> {
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => JSON.parse(text) as ServedAnswer[]);
}

/** Counts and times of each kind of response, in one line. */
export function figures({ answers }: Pick<Burst, 'answers'>): string {
  const parts = kindsOf(answers).map(
    ([status, group]) => `${group.length} × ${status} (${spread(group.map(({ ms }) => ms))})`,
  );
  return `${answers.length} at once: ${parts.join(', ')}`;
}

/** Messages of refusals, with their counts. */
export function reasons(answers: readonly BurstAnswer[]): string {
  const counts = new Map<string, number>();
  for (const { body } of answers.filter(({ status }) => status >= 400))
    counts.set(body.detail ?? '', (counts.get(body.detail ?? '') ?? 0) + 1);
  return [...counts].map(([detail, count]) => `${count} × “${detail}”`).join(', ');
}

/** Time to a refusal, compared with a server that only refuses. */
export function refusedBeside(flood: Burst, bare: Burst): string {
  const times = [flood, bare].map(({ answers }) => sorted(answers.filter(({ status }) => status === 503)));
  const ratios = [0.5, 1].map((part) => (at(times[0]!, part) / at(times[1]!, part)).toFixed(1));
  return `a refusal takes ${ratios[0]} times as long as at a bare server in the median, ${ratios[1]} times at the last`;
}

/** Server-side times: from the arrival to the complete read of a request, and from there to its response. */
export function servedFigures(served: readonly ServedAnswer[], startedAt: number): string {
  const parts = kindsOf(served).map(([status, group]) => {
    const [connected, read, answered] = [
      group.map(({ connectedAt }) => connectedAt - startedAt),
      group.map(({ readAt }) => readAt - startedAt),
      group.map(({ readAt, answeredAt }) => answeredAt - readAt),
    ];
    return `${group.length} × ${status}: connected after ${spread(connected)}, read after ${spread(read)}, answered ${spread(answered)} later`;
  });
  return parts.join('; ');
}

function kindsOf<Answer extends { status: number }>(answers: readonly Answer[]): [number, Answer[]][] {
  const kinds = [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b);
  return kinds.map((kind) => [kind, answers.filter(({ status }) => status === kind)]);
}

const sorted = (answers: readonly BurstAnswer[]): number[] => answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
const at = (times: readonly number[], part: number): number => times[Math.floor((times.length - 1) * part)]!;

/** @param times milliseconds */
function spread(times: readonly number[]): string {
  const inOrder = times.toSorted((a, b) => a - b);
  const seconds = (part: number): string => `${(at(inOrder, part) / 1000).toFixed(2)} s`;
  return `median ${seconds(0.5)}, last ${seconds(1)}`;
}
