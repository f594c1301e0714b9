import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { counted, Failure } from '@burnish/contract';
import { getCaller, getContext, isCallerGood } from '../http/request-context.ts';
import { openEventStream, type EventWriter } from './event-writer.ts';
import { sentByHandler } from '../rest/answers.ts';
import type { FairLimiter } from '../../process/fair-limiter.ts';

export interface StreamNeeds {
  /** Milliseconds */
  stream: { heartbeatMs: number; stallMs: number };
  /** Limits the streams of one key */
  streamLimit: FairLimiter;
  /** Aborted when the gateway starts to close */
  closing: AbortSignal;
}

/** Together with the cache time of a valid key, this ends the streams of a deleted key within a second. */
const LOOK_AGAIN_MS = 500;

/** What an operation declares that answers by {@link serveStream}. */
export const streamAnswer = sentByHandler({
  '200': { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
});

/**
 * Responds with server-sent events.
 * @param write its signal is aborted when the gateway closes, so that the reader reconnects to another gateway, or when
 * the reader loses access
 * @throws Failure RATE_LIMITED with too many streams of one key
 */
export async function serveStream(
  { stream, streamLimit, closing }: StreamNeeds,
  res: Response,
  write: (writer: EventWriter, closing: AbortSignal) => Promise<void>,
): Promise<void> {
  await streamLimit.run({ owner: getCaller(res).keyId, refusal: tooManyStreams }, async () => {
    const writer = openEventStream(res, stream);
    try {
      await write(writer, AbortSignal.any([closing, revocation(() => isCallerGood(res), writer.closed)]));
    } catch (error) {
      // The response has begun, so the stream is cut off. The client reconnects with the last id that it received.
      getContext(res).log.error({ err: error }, 'event stream failed');
      res.destroy();
    }
  });
}

const tooManyStreams = (max: number): Failure =>
  new Failure('RATE_LIMITED', {
    detail: `At most ${counted(max, 'event stream')} at once. Close one, or wait.`,
    retryAfterSeconds: 5,
  });

/**
 * Aborted when the reader of a stream loses access: the key was deleted, or the session ended. A failed check, such
 * as with an unavailable database, does not end the stream.
 * @param ended aborted when the stream ends by itself
 */
function revocation(isGood: () => Promise<boolean>, ended: AbortSignal): AbortSignal {
  const revoked = new AbortController();
  void watch();
  return revoked.signal;

  async function watch(): Promise<void> {
    for (;;) {
      await delay(LOOK_AGAIN_MS, undefined, { ref: false });
      if (ended.aborted) return;
      if (await isGood().catch(() => true)) continue;
      revoked.abort();
      return;
    }
  }
}
