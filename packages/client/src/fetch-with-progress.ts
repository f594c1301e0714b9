import { BurnishError } from './burnish-error.ts';

/** Reports bytes that were sent, and all bytes. */
export type Progress = (sent: number, total: number) => void;

/** The part of XMLHttpRequest that is used here, because the types of Node.js lack it. */
interface PageRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { addEventListener(event: 'progress', listener: (progress: { loaded: number }) => void): void };
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  addEventListener(event: 'load' | 'error' | 'abort', listener: () => void): void;
  send(body: Blob): void;
  abort(): void;
}
declare const XMLHttpRequest: (new () => PageRequest) | undefined;

/**
 * A `fetch` that reports the progress of sending a Blob; a stream is sent without a report. Pages use XMLHttpRequest, because their
 * `fetch` cannot report it. Elsewhere the bytes are counted as they are read.
 */
export function fetchWithProgress(given: typeof fetch, onProgress: Progress): typeof fetch {
  return async (url, init = {}) => {
    const { body } = init;
    if (!(body instanceof Blob)) return await given(url, init);
    if (typeof XMLHttpRequest !== 'undefined')
      return await transmit(new XMLHttpRequest(), String(url), body, init, onProgress);
    const headers = { ...(init.headers as Record<string, string>), 'content-length': String(body.size) };
    return await given(url, { ...init, headers, body: countBytes(body, onProgress) });
  };
}

function countBytes(blob: Blob, onProgress: Progress): ReadableStream<Uint8Array> {
  let sent = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onProgress((sent += chunk.byteLength), blob.size);
      controller.enqueue(chunk);
    },
  });
  return blob.stream().pipeThrough(counter);
}

/** @throws BurnishError UNREACHABLE when the connection is lost; the reason of the aborted signal */
function transmit(
  request: PageRequest,
  url: string,
  blob: Blob,
  init: RequestInit,
  onProgress: Progress,
): Promise<Response> {
  const { method = 'POST', headers = {}, signal } = init;
  return new Promise((resolve, reject) => {
    request.open(method, url);
    for (const [name, value] of Object.entries(headers as Record<string, string>))
      request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded, blob.size));
    request.addEventListener('load', () => resolve(toResponse(request)));
    request.addEventListener('error', () => reject(lostWhileSending()));
    request.addEventListener('abort', () => reject(signal?.reason as Error));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    if (signal?.aborted) reject(signal.reason as Error);
    else request.send(blob);
  });
}

function lostWhileSending(): BurnishError {
  const sentence = 'The connection was lost while the file was sent. Check the network, and try again.';
  return new BurnishError(sentence, { code: 'UNREACHABLE' });
}

function toResponse(request: PageRequest): Response {
  const retryAfter = request.getResponseHeader('retry-after');
  const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter };
  return new Response(request.status === 204 ? null : request.responseText, { status: request.status, headers });
}
