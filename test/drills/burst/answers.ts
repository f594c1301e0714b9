import { expect } from '@jest/globals';
import type { Api } from '../../e2e/api.ts';
import { until } from '../../support/until.ts';
import type { BurstAnswer } from './flood.ts';

interface Listed {
  id: string;
  status: string;
}

/**
 * Expects that every caller got 202, or 503 with its code and `Retry-After`, that each accepted upload finishes, and
 * that no others exist.
 */
export async function expectSoundBurst(api: Api, answers: readonly BurstAnswer[]): Promise<void> {
  const accepted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  expect(refused.filter(({ status, body }) => status !== 503 || body?.code !== 'UNAVAILABLE')).toEqual([]);
  expect(refused.filter(({ retryAfter }) => !(Number(retryAfter) > 0))).toEqual([]);
  expect(answers.filter(({ key }) => key === undefined)).toEqual([]);
  expect(accepted.length).toBeGreaterThan(0);

  const ids = new Set(accepted.map(({ body }) => body?.id));
  await until(
    () => listed(api),
    (records) => records.length >= ids.size && records.every(({ status }) => status === 'UPLOAD_FINISHED'),
    { pauseMs: 1_000 },
  );
  expect(new Set((await listed(api)).map(({ id }) => id))).toEqual(ids);
}

async function listed(api: Api): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let after = ''; ;) {
    const path = `/v1/uploads?limit=100${after === '' ? '' : `&after=${after}`}`;
    const { body } = await api.get<{ items: Listed[]; next: string | null }>(path);
    all.push(...body.items);
    if (body.next === null) return all;
    after = body.next;
  }
}

/** Counts, codes and times of each kind of answer, in one line. */
export function figures(answers: readonly BurstAnswer[]): string {
  const kinds = [...new Set(answers.map(kindOf))].toSorted();
  const parts = kinds.map((kind) => {
    const group = answers.filter((answer) => kindOf(answer) === kind);
    const times = group.map(({ ms }) => ms).toSorted((a, b) => a - b);
    return `${group.length} × ${kind} (median ${seconds(times[times.length >> 1]!)}, last ${seconds(times.at(-1)!)})`;
  });
  return `${answers.length} at once: ${parts.join(', ')}`;
}

const kindOf = ({ status, body, retryAfter, error }: BurstAnswer): string =>
  error ?? [status, body?.code, retryAfter === undefined ? undefined : 'with Retry-After'].filter(Boolean).join(' ');

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
