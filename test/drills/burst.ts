import { Agent, request } from 'node:http';
import { expect } from 'vitest';
import type { Instance } from '../e2e/instance.ts';
import { photo } from '../e2e/files.ts';
import { until } from '../e2e/until.ts';

export interface BurstAnswer {
  status: number;
  /** Milliseconds from the first byte of the burst to the whole answer */
  ms: number;
  body: { id: string; code?: string };
  retryAfter: string | undefined;
  key: string | undefined;
}

/** Every caller gets an answer within this time, milliseconds. */
const ANSWERED_WITHIN_MS = 15_000;

/** Sends so many uploads at once, each on a connection of its own. */
export async function burst({ url, apiKey }: Instance, count: number): Promise<BurstAnswer[]> {
  const file = await photo(1);
  const agent = new Agent({ maxSockets: Infinity });
  const startedAt = performance.now();
  const send = (index: number): Promise<BurstAnswer> =>
    new Promise((resolve, reject) => {
      // Bytes behind a JPEG tell the files apart.
      const body = Buffer.concat([file, Buffer.from(`burst ${index}`)]);
      const headers = { 'x-api-key': apiKey, 'content-type': 'image/jpeg', 'content-length': body.byteLength };
      const sent = request(`${url}/v1/uploads`, { method: 'POST', agent, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.once('error', reject);
        response.once('end', () =>
          resolve({
            status: response.statusCode!,
            ms: performance.now() - startedAt,
            body: JSON.parse(Buffer.concat(parts).toString()) as BurstAnswer['body'],
            retryAfter: response.headers['retry-after'],
            key: response.headers['idempotency-key'] as string | undefined,
          }),
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  agent.destroy();
  return answers;
}

/**
 * Expects that every caller was answered in time, that what was accepted finishes, and that nothing else exists.
 * @returns in a sentence, when that had finished
 */
export async function expectSoundBurst({ api }: Instance, answers: readonly BurstAnswer[]): Promise<string> {
  const accepted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  const late = answers.filter(({ ms }) => ms > ANSWERED_WITHIN_MS);
  expect(late.map(({ ms }) => Math.round(ms))).toEqual([]);
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

/** How many answers of each kind there were, and when they came, in one line. */
export function figures(answers: readonly BurstAnswer[]): string {
  const kinds = [...new Set(answers.map(({ status }) => status))].toSorted();
  const parts = kinds.map((kind) => {
    const times = answers
      .filter(({ status }) => status === kind)
      .map(({ ms }) => ms)
      .toSorted((a, b) => a - b);
    const at = (part: number): string => `${(times[Math.floor((times.length - 1) * part)]! / 1000).toFixed(1)} s`;
    return `${times.length} × ${kind} (median ${at(0.5)}, last ${at(1)})`;
  });
  return `${answers.length} at once: ${parts.join(', ')}`;
}
