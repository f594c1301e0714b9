import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from './verify-webhook.ts';

export interface ForwardOptions {
  /** Milliseconds for an answer. Default 15,000, as for registered endpoints */
  timeoutMs?: number;
  /** Replaces the global `fetch` */
  fetch?: typeof fetch;
}

/** What a receiver answered. `httpStatus` is null without an answer; `answer` is its beginning, or the reason. */
export interface ReceiverAnswer {
  httpStatus: number | null;
  latencyMs: number;
  answer: string;
}

const MAX_ANSWER_BYTES = 1_000;

/**
 * For `listen`: sends each event to a URL as a registered endpoint gets it. Redirects are not followed.
 * @param secret `whsec_` and base64: signs the events
 */
export function forwardTo(
  url: string,
  secret: string,
  { timeoutMs = 15_000, fetch: send = fetch }: ForwardOptions = {},
): (event: WebhookEvent) => Promise<ReceiverAnswer> {
  const webhook = new Webhook(secret);
  return async (event) => {
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
    const body = JSON.stringify(event);
    const sentAt = new Date();
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Burnish-Webhooks/1',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': webhook.sign(event.id, sentAt, body),
    };
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await send(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      const latencyMs = elapsed();
      return { httpStatus: response.status, latencyMs, answer: await readBeginning(response) };
    } catch (error) {
      return { httpStatus: null, latencyMs: elapsed(), answer: describe(error, url, timeoutMs) };
    }
  };
}

async function readBeginning({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; reader !== undefined && bytes < MAX_ANSWER_BYTES;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value.subarray(0, MAX_ANSWER_BYTES - bytes), { stream: true });
    bytes += value.byteLength;
  }
  reader?.cancel().catch(() => undefined);
  return text;
}

function describe(error: unknown, url: string, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `No answer within ${timeoutMs / 1000} s.`;
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === 'ECONNREFUSED'
    ? `Nothing listens at ${new URL(url).host}.`
    : `The connection failed: ${code ?? error}.`;
}
