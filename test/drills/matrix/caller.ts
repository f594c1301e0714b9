import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { UploadRecord } from '../../e2e/api.ts';

/** What a caller heard, over all its attempts. */
export interface Heard {
  /** Of the last attempt that was answered */
  status: number | undefined;
  body: UploadRecord | undefined;
  /** Answers that tell trouble wrongly: 5xx other than 503 with `Retry-After` */
  wrong: string[];
}

export interface Ask {
  url: string;
  apiKey: string;
  method: 'POST' | 'DELETE';
  file?: Uint8Array;
  filename?: string;
}

const ATTEMPT_MS = 15_000;
const PAUSE_MS = 500;

/** Statuses of refusals that pass by themselves and say when. */
const PASSING = [409, 429, 503];

/** A caller as the documentation wants it: with an idempotency key, and again after 409, 429, 5xx, or no answer at all. */
export async function askUntilAnswered(ask: Ask, deadline: number): Promise<Heard> {
  const heard: Heard = { status: undefined, body: undefined, wrong: [] };
  const headers: Record<string, string> = { 'x-api-key': ask.apiKey };
  if (ask.file !== undefined) {
    headers['idempotency-key'] = randomUUID();
    headers['content-type'] = 'application/octet-stream';
    headers['content-disposition'] = `attachment; filename="${ask.filename}"`;
  }
  while (performance.now() < deadline) {
    try {
      const response = await fetch(ask.url, {
        method: ask.method,
        headers,
        signal: AbortSignal.timeout(ATTEMPT_MS),
        ...(ask.file === undefined ? {} : { body: new Uint8Array(ask.file) }),
      });
      const text = await response.text();
      heard.status = response.status;
      if (response.status < 500 && !PASSING.includes(response.status)) {
        heard.body = JSON.parse(text) as UploadRecord;
        return heard;
      }
      const isHonest = PASSING.includes(response.status) && response.headers.has('retry-after');
      if (!isHonest) heard.wrong.push(`${response.status} ${text.slice(0, 200)}`);
    } catch {
      // No answer, or half of one: nothing was promised.
    }
    await delay(PAUSE_MS);
  }
  return heard;
}
