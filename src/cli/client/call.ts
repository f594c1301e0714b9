import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError, connectionLost, refusal } from './client-error.ts';

/** Repetitions of a call when the server names a time to retry. */
const RETRIES = 5;
const MAX_RETRY_AFTER_MS = 60_000;

export interface Instance {
  /** Without a slash at its end */
  baseUrl: string;
  apiKey: string;
}

/** The options of `fetch`; each attempt creates a new body. */
export interface CallOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  headers?: Record<string, string>;
  body?: () => ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal | undefined;
}

/**
 * Calls the REST interface; waits and retries if the answer has `Retry-After`.
 * @param path from the root, such as `/v1/credits`
 * @throws ClientError with a sentence; the signal's reason when it was aborted
 */
export async function call({ baseUrl, apiKey }: Instance, path: string, options: CallOptions = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body, signal } = options;
  for (let tries = 0; ; tries += 1) {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { ...headers, 'x-api-key': apiKey },
      redirect: 'error',
      ...(body === undefined ? {} : { body: body(), duplex: 'half' }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw connectionLost(error, baseUrl);
    });
    if (response.ok) return response;
    const error = await refusal(response, baseUrl);
    const { retryAfterMs } = error;
    if (retryAfterMs === undefined || retryAfterMs > MAX_RETRY_AFTER_MS || tries === RETRIES) throw error;
    await sleep(retryAfterMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
  }
}

/** The same for an answer in JSON. */
export async function callJson<Body>(instance: Instance, path: string, options?: CallOptions): Promise<Body> {
  const response = await call(instance, path, options);
  try {
    return (await response.json()) as Body;
  } catch (cause) {
    options?.signal?.throwIfAborted();
    throw new ClientError(`The response of ${instance.baseUrl} could not be read.`, { cause });
  }
}
