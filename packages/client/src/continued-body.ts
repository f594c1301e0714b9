import { connectionError } from './burnish-error.ts';
import { pauseAfter, sleep, type Transport } from './transport.ts';

export interface Continuation<Part> {
  /** Reads on after this many units, which have arrived */
  open: (arrived: number) => Promise<AsyncIterable<Part>>;
  /** Units of a part: bytes, or lines */
  measure: (part: Part) => number;
  /** Repetitions without a part in between. Default: those of the client */
  retries?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Yields the parts of a body. After a lost connection it reads on, and the retries count from zero as soon as a part has arrived.
 * @throws BurnishError UNREACHABLE after all retries; the reason of an aborted signal
 */
export async function* readOn<Part>(
  { options }: Transport,
  { open, measure, retries = options.maxRetries, signal }: Continuation<Part>,
): AsyncGenerator<Part, void, undefined> {
  let arrived = 0;
  for (let failures = 0; ; failures += 1) {
    const parts = await open(arrived);
    try {
      for await (const part of parts) {
        arrived += measure(part);
        failures = 0;
        yield part;
      }
      return;
    } catch (cause) {
      signal?.throwIfAborted();
      const error = connectionError(cause, options.baseUrl);
      if (error.code !== 'UNREACHABLE' || failures >= retries) throw error;
      await sleep(pauseAfter(failures), signal);
    }
  }
}

/**
 * Yields the bytes of a body as they arrive.
 * @throws errors of the connection; the reason of an aborted signal
 */
export async function* readBytes(
  { body }: Response,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  // Node.js forgets the signal of a `fetch` whose response has lasted for a while.
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // Also where the caller needs no more, so that no connection stays open.
    stop();
  }
}

export interface BodyOptions {
  /** Repeats the request with further headers; absent: the body does not continue */
  reopen?: (headers: Record<string, string>) => Promise<Response>;
  signal?: AbortSignal | undefined;
}

/**
 * The same response, whose body fails with a BurnishError. It continues after a lost connection, if the service can send the rest of
 * these bytes.
 */
export function withContinuedBody(
  transport: Transport,
  response: Response,
  { reopen, signal }: BodyOptions = {},
): Response {
  const { body, headers, status, statusText } = response;
  if (body === null) return response;
  const etag = headers.get('etag');
  // Decoded bytes have other positions than those of the service.
  const hasRest = reopen !== undefined && etag !== null && status === 200 && !headers.has('content-encoding');
  const cancelled = new AbortController();
  const ended = signal === undefined ? cancelled.signal : AbortSignal.any([signal, cancelled.signal]);
  let opened = false;
  const parts = readOn(transport, {
    async open(arrived) {
      if (!opened) {
        opened = true;
        return readBytes(response, ended);
      }
      const rest = await reopen!({ range: `bytes=${arrived}-`, 'if-range': etag! });
      if (rest.status === 206) return readBytes(rest, ended);
      await rest.body?.cancel();
      throw connectionError(undefined, transport.options.baseUrl);
    },
    measure: (bytes) => bytes.byteLength,
    ...(hasRest ? {} : { retries: 0 }),
    signal: ended,
  });
  const continued = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => cancelled.abort(),
  });
  return new Response(continued, { headers, status, statusText });
}
