import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { UploadRecord } from '../../e2e/api.ts';

/** Result of a caller after all its attempts. */
export interface Heard {
  /** Status of the last answered attempt */
  status: number | undefined;
  body: UploadRecord | undefined;
  /** Responses that misreport the fault: 5xx other than 503, and 409, 429 or 503 without `Retry-After` */
  wrong: string[];
}

export interface Ask {
  url: string;
  apiKey: string;
  method: 'POST' | 'DELETE';
  file?: Uint8Array;
  filename?: string;
  /** Sent as JSON in place of a file */
  json?: object;
}

const ATTEMPT_MS = 15_000;
const PAUSE_MS = 500;

/** Statuses of transient refusals with a time for the retry. */
const PASSING = [409, 429, 503];

/** A caller that follows the documentation. It sends an idempotency key, and retries 409, 429, 5xx and missing responses. */
export async function askUntilAnswered(ask: Ask, deadline: number): Promise<Heard> {
  const heard: Heard = { status: undefined, body: undefined, wrong: [] };
  const headers: Record<string, string> = { 'x-api-key': ask.apiKey };
  if (ask.method === 'POST') headers['idempotency-key'] = randomUUID();
  if (ask.file !== undefined) {
    headers['content-type'] = 'application/octet-stream';
    headers['content-disposition'] = `attachment; filename="${ask.filename}"`;
  }
  if (ask.json !== undefined) headers['content-type'] = 'application/json';
  const body = ask.json === undefined ? ask.file && new Uint8Array(ask.file) : JSON.stringify(ask.json);
  while (performance.now() < deadline) {
    try {
      const response = await fetch(ask.url, {
        method: ask.method,
        headers,
        signal: AbortSignal.timeout(ATTEMPT_MS),
        ...(body && { body }),
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
      // A missing or partial response promises nothing.
    }
    await delay(PAUSE_MS);
  }
  return heard;
}
