import type { Readable } from 'node:stream';
import { parseRetryAfter } from '@burnish/contract';
import { startDeadline } from '../process/deadline.ts';
import { asFetchFailure } from './fetch-failure.ts';
import { isPlain, openHop, type FetchPolicy, type Hop } from './hop.ts';
import { checkUrl } from './url-policy.ts';

export interface PostOptions {
  /** A stream is destroyed at the end */
  body: string | Readable;
  headers: Record<string, string>;
  /** For the whole request */
  timeoutMs: number;
  /** Maximum number of response bytes to read; then the connection is closed */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export interface PostAnswer {
  status: number;
  /** The start of the response as text, without control characters except line ends and tabs */
  answer: string;
  /** Milliseconds, from `Retry-After`; null without one */
  retryAfterMs: number | null;
  /** Milliseconds from the request to the response headers, including the connection */
  latencyMs: number;
}

/** @see SafeFetch.post, SafeFetch.put */
export async function send(
  method: 'POST' | 'PUT',
  href: string,
  options: PostOptions,
  policy: FetchPolicy,
  now: () => number,
): Promise<PostAnswer> {
  const { body, headers, timeoutMs, maxAnswerBytes, signal } = options;
  const deadline = startDeadline(timeoutMs, signal);
  let hop: Hop | undefined;
  try {
    const url = checkUrl(href, policy.allowedPrivateHosts);
    const started = performance.now();
    hop = await openHop(url, { method, headers, body }, policy, deadline);
    const latencyMs = Math.round(performance.now() - started);
    const answer = isPlain(hop) ? await readHead(hop, maxAnswerBytes) : '';
    signal?.throwIfAborted();
    return { status: hop.status, answer, retryAfterMs: parseRetryAfter(hop.header('retry-after'), now()), latencyMs };
  } catch (error) {
    throw asFetchFailure(error, signal);
  } finally {
    hop?.close();
    deadline.clear();
    if (typeof body !== 'string') body.destroy();
  }
}

/**
 * Reads the start of the body. The status decides the outcome, so the received part of an incomplete response
 * suffices.
 */
async function readHead(hop: Hop, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of hop.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= maxBytes) break;
    }
  } catch {
    // See above.
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  // Streaming omits a partial character.
  return new TextDecoder().decode(bytes, { stream: true }).replace(/(?![\t\n\r])\p{Cc}/gu, '');
}
