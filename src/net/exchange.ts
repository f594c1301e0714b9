import type { Readable } from 'node:stream';
import { counted, Failure, parseRetryAfter } from '@burnish/contract';
import { startDeadline } from '../process/deadline.ts';
import { asFetchFailure, fetchFailure, wasNeverSent } from './fetch-failure.ts';
import { isPlain, openHop, type FetchPolicy, type Hop } from './hop.ts';
import { checkUrl } from './url-policy.ts';

export interface ExchangeOptions {
  method: 'POST' | 'PUT';
  body: string | Readable;
  headers: Record<string, string>;
  /** For the whole exchange */
  timeoutMs: number;
  /** A longer response counts as missing */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export type Exchange =
  | {
      kind: 'answered';
      /** Any status, including redirects, which are not followed */
      status: number;
      /** The complete response as text */
      answer: string;
      /** Milliseconds, from `Retry-After`; null without one */
      retryAfterMs: number | null;
    }
  | {
      kind: 'broken';
      /** False if the request was certainly not sent; otherwise the server may have executed it */
      sent: boolean;
      failure: Failure;
    };

export async function exchange(
  href: string,
  options: ExchangeOptions,
  policy: FetchPolicy,
  now: () => number,
): Promise<Exchange> {
  const { method, body, headers, timeoutMs, maxAnswerBytes, signal } = options;
  const deadline = startDeadline(timeoutMs, signal);
  let hop: Hop | undefined;
  try {
    const url = checkUrl(href, policy.allowedPrivateHosts);
    hop = await openHop(url, { method, headers, body }, policy, deadline);
    const answer = await readWhole(hop, maxAnswerBytes);
    return {
      kind: 'answered',
      status: hop.status,
      answer,
      retryAfterMs: parseRetryAfter(hop.header('retry-after'), now()),
    };
  } catch (error) {
    signal?.throwIfAborted();
    const failure = asFetchFailure(deadline.signal.aborted ? deadline.signal.reason : error, signal);
    if (!(failure instanceof Failure)) throw failure;
    return { kind: 'broken', sent: hop !== undefined || !wasNeverSent(error), failure };
  } finally {
    hop?.close();
    deadline.clear();
    if (typeof body !== 'string') body.destroy();
  }
}

async function readWhole(hop: Hop, maxBytes: number): Promise<string> {
  if (!isPlain(hop))
    throw fetchFailure('The server answered with a compressed body, although none was requested.', false);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of hop.body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxBytes) throw fetchFailure(`The response is longer than ${counted(maxBytes, 'byte')}.`, false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
