import type { ListenedDelivery, ReceiverAnswer } from './listen.ts';

export interface ForwardOptions {
  /** Milliseconds for an answer. Default 15,000, as for registered endpoints */
  timeoutMs?: number;
  /** Replaces the global `fetch` */
  fetch?: typeof fetch;
}

const MAX_ANSWER_BYTES = 1_000;

/** For `listen`: sends each delivery to a URL as a registered endpoint would get it. Redirects are not followed. */
export function forwardTo(
  url: string,
  { timeoutMs = 15_000, fetch: send = fetch }: ForwardOptions = {},
): (delivery: Pick<ListenedDelivery, 'headers' | 'body'>) => Promise<ReceiverAnswer> {
  return async ({ headers, body }) => {
    const started = performance.now();
    const elapsed = (): number => Math.round(performance.now() - started);
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
