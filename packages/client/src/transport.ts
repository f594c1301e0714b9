import { parseRetryAfter } from '@burnish/contract';
import { BurnishError, connectionError, refusalError } from './burnish-error.ts';
import { fetchWithProgress, type Progress } from './fetch-with-progress.ts';
import { sameOrigin } from './same-origin.ts';

export type { Progress };

/** Longest `Retry-After` in milliseconds that a call waits for; a longer one ends it. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Pause in milliseconds before the first retry without `Retry-After`. It doubles up to the second number. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Answers of a gateway or proxy that is busy or restarts. */
const RETRIED_STATUSES = [408, 429, 502, 503, 504];

export interface TransportOptions {
  /** Without a slash at its end; empty for the origin of the page */
  baseUrl: string;
  /** Headers of each request, such as `x-api-key` */
  headers: Readonly<Record<string, string>>;
  /** Repetitions of a call after a lost connection or a temporary refusal */
  maxRetries: number;
  fetch: typeof fetch;
}

/** Bytes of a file. */
interface RequestBody {
  /** Called for each attempt */
  open(): Blob | ReadableStream<Uint8Array>;
  /** A stream that cannot be read again, so it is not repeated */
  once: boolean;
  onProgress?: Progress | undefined;
}

/** A call of the REST interface. */
export interface CallOptions {
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON */
  json?: unknown;
  body?: RequestBody;
  /** A change has one effect, however often it is sent with one key. Default: a new key for each call */
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Init {
  headers: Readonly<Record<string, string>>;
  redirect: 'error' | 'follow';
}

/** Takes what the caller needs of a response other than a refusal, as a part of the attempt. */
type Read<Answer> = (response: Response) => Answer | Promise<Answer>;

/** Sends requests with retries. All methods throw BurnishError, or the reason of an aborted signal. */
export class Transport {
  constructor(readonly options: TransportOptions) {}

  /** @param path from the root, such as `/v1/credits` */
  send(method: Method, path: string, call: CallOptions = {}): Promise<Response> {
    return this.#request(method, path, call, (response) => response);
  }

  /** The same for an answer in JSON; undefined for one without a body. An answer that was cut off counts as a lost connection. */
  async json<Body>(method: Method, path: string, call: CallOptions = {}): Promise<Body> {
    const { status, text } = await this.#request(method, path, call, readText);
    if (status === 204) return undefined as Body;
    try {
      return JSON.parse(text) as Body;
    } catch (cause) {
      const sentence = `The response of ${this.options.baseUrl || 'Burnish'} could not be read. Try again.`;
      throw new BurnishError(sentence, { code: 'INVALID_RESPONSE', status, cause });
    }
  }

  /** Reads a signed URL, which needs no key. */
  getSigned(url: string, call: CallOptions = {}): Promise<Response> {
    // A page has its own name for the service, which signed URLs may lack.
    const href = this.options.baseUrl === '' ? sameOrigin(url) : url;
    const init: Init = { headers: call.headers ?? {}, redirect: 'follow' };
    return this.#repeat('GET', href, init, call, (response) => response);
  }

  async #request<Answer>(method: Method, path: string, call: CallOptions, read: Read<Answer>): Promise<Answer> {
    // The service would take a path with an empty id for the path of a list.
    if (/\/(\/|$)/.test(path)) {
      const sentence = `The path ${path} has an empty part. Pass the id of a record, such as upl_….`;
      throw new BurnishError(sentence, { code: 'BAD_USER_INPUT' });
    }
    const headers = { ...this.#headers(method, call), ...this.options.headers, ...call.headers };
    const href = `${this.options.baseUrl}${path}${toQuery(call.query)}`;
    // A redirect could lead the key to another host.
    return await this.#repeat(method, href, { headers, redirect: 'error' }, call, read);
  }

  async #repeat<Answer>(
    method: Method,
    href: string,
    init: Init,
    call: CallOptions,
    read: Read<Answer>,
  ): Promise<Answer> {
    for (let retries = 0; ; retries += 1) {
      const outcome = await this.#attempt(method, href, init, call, read);
      if (!(outcome instanceof BurnishError)) return outcome;
      const pause = pauseBefore(retries, outcome);
      if (pause === undefined || retries >= this.options.maxRetries || call.body?.once === true) throw outcome;
      await sleep(pause, call.signal);
    }
  }

  #headers(method: Method, { json, idempotencyKey }: CallOptions): Record<string, string> {
    return {
      accept: 'application/json',
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' || method === 'HEAD' ? {} : { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
    };
  }

  /** One request. @returns the answer, or the error of its refusal or of the lost connection */
  async #attempt<Answer>(
    method: Method,
    href: string,
    init: Init,
    { json, body, signal }: CallOptions,
    read: Read<Answer>,
  ): Promise<Answer | BurnishError> {
    const { baseUrl } = this.options;
    const fetch = body?.onProgress ? fetchWithProgress(this.options.fetch, body.onProgress) : this.options.fetch;
    try {
      const content = json === undefined ? body?.open() : JSON.stringify(json);
      const response = await fetch(href, {
        method,
        ...init,
        ...(content === undefined ? {} : { body: content, duplex: 'half' }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (response.ok) return await read(response);
      const retryAfterMs = parseRetryAfter(response.headers.get('retry-after') ?? undefined, Date.now()) ?? undefined;
      return refusalError({ status: response.status, text: await response.text(), retryAfterMs }, baseUrl);
    } catch (cause) {
      signal?.throwIfAborted();
      return connectionError(cause, baseUrl);
    }
  }
}

const readText = async (response: Response): Promise<{ status: number; text: string }> => ({
  status: response.status,
  text: await response.text(),
});

/** Milliseconds before the next attempt; undefined where a retry cannot help. */
export function pauseBefore(retries: number, { code, status, retryAfterMs }: BurnishError): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs > MAX_RETRY_AFTER_MS ? undefined : retryAfterMs;
  if (code !== 'UNREACHABLE' && !RETRIED_STATUSES.includes(status)) return undefined;
  return pauseAfter(retries);
}

/** Milliseconds of the pause after a number of retries. It grows up to a limit. */
export function pauseAfter(retries: number): number {
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** retries);
  // Callers that were refused together do not return together.
  return pause * (0.5 + Math.random() / 2);
}

function toQuery(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}

/** @throws the reason of the signal when it is aborted */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
