import type { Request, Response } from 'express';
import { z } from 'zod';
import { startDeadline } from '../../process/deadline.ts';
import type { Caller } from '../commands/command-types.ts';
import { createNotifier } from './notifier.ts';
import type { ChangeFanout } from './change-fanout.ts';
import { getCaller, getContext, readHeader } from '../http/request-context.ts';
import { onceHalfClosed } from '../http/half-closed.ts';
import { onceClosed } from '../http/once-closed.ts';

/** Maximum wait for a result in one request, in seconds: the timeouts of proxies are not much longer. */
const MAX_WAIT_SECONDS = 60;
/** Idle time of a connection beyond the wait, for the response, in milliseconds. */
const ANSWER_MS = 10_000;

export const preferHeader = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: `RFC 7240: with \`wait=30\`, the response contains the finished record, or is 202 after 30 seconds. The maximum is ${MAX_WAIT_SECONDS} seconds, for 20 parallel requests of a key. The work has priority over other work, unless \`priority\` is BATCH.`,
      example: 'wait=30',
    }),
});

/** A request for work, with an optional wait for the result. */
export interface PreferredWait {
  caller: Caller;
  /**
   * The record as soon as it is finished. Undefined after the end of the time, once the caller closes its side of the connection,
   * and for a request without a wait. Sets the response header that confirms the wait.
   */
  finished<Row>(
    uploadId: string,
    read: () => Promise<Row | undefined>,
    isFinished: (row: Row) => boolean,
  ): Promise<Row | undefined>;
}

export interface PreferredWaitDeps {
  fanout: Pick<ChangeFanout, 'subscribe'>;
  /** Concurrent waiting requests of one API key */
  waitsPerKey: number;
  /** Aborts every wait */
  closing: AbortSignal;
}

/**
 * `Prefer: wait=N` (RFC 7240). As in the RFC, an unsupported preference is ignored. Beyond the limit of its key, a
 * request gets its response at once, as without the header.
 */
export function createPreferredWaits({ fanout, waitsPerKey, closing }: PreferredWaitDeps) {
  const waiting = new Map<string, number>();

  return (req: Request<object>, res: Response): PreferredWait => {
    const caller = getCaller(res);
    const { keyId } = caller;
    const seconds = readWait(readHeader(req, 'prefer'));
    const already = waiting.get(keyId) ?? 0;
    if (seconds === 0 || already >= waitsPerKey) return { caller, finished: async () => undefined };
    waiting.set(keyId, already + 1);
    const received = whenReceived(req);
    const gone = new AbortController();
    onceHalfClosed(res, () => gone.abort());
    onceClosed(res, () => {
      gone.abort();
      const left = waiting.get(keyId)! - 1;
      if (left > 0) waiting.set(keyId, left);
      else waiting.delete(keyId);
    });

    return {
      caller: { ...caller, waits: true },
      async finished(uploadId, read, isFinished) {
        res.set('Preference-Applied', `wait=${seconds}`);
        // The request has been accepted, so its admission is free for another one.
        getContext(res).releasePermit?.();
        getContext(res).freeKey?.();
        const leftMs = Math.max(0, Math.round(received() + seconds * 1000 - performance.now()));
        req.socket.setTimeout(leftMs + ANSWER_MS);
        const { signal: stopped, clear } = startDeadline(leftMs, AbortSignal.any([gone.signal, closing]));
        const notifier = createNotifier(stopped);
        const unsubscribe = fanout.subscribe(uploadId, notifier.notify);
        const over = new Promise<undefined>((resolve) => {
          if (stopped.aborted) resolve(undefined);
          stopped.addEventListener('abort', () => resolve(undefined), { once: true });
        });
        try {
          for (;;) {
            notifier.reset();
            // The work is accepted, so a failed read is no failure of this request.
            const row = await Promise.race([read().catch(() => undefined), over]);
            if (row !== undefined && isFinished(row)) return row;
            if (stopped.aborted) return undefined;
            await notifier.notified();
          }
        } finally {
          clear();
          unsubscribe();
        }
      },
    };
  };
}

/** When the request had arrived whole, as `performance.now()` tells it: RFC 7240 counts a wait from its receipt. */
function whenReceived(req: Request<object>): () => number {
  let at = performance.now();
  if (!req.complete) req.once('end', () => (at = performance.now()));
  return () => at;
}

/** Seconds of the first `wait` preference, at most 60; 0 without a valid one. */
function readWait(header = ''): number {
  const preferences = header.match(/(?:[^,"]|"(?:\\.|[^"\\])*")+/g) ?? [];
  const wait = preferences
    .map((each) => /^\s*wait\s*=\s*("?)([^";\s]*)\1\s*(?:;|$)/i.exec(each))
    .find((each) => each !== null);
  const text = wait?.[2] ?? '';
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), MAX_WAIT_SECONDS) : 0;
}

export type PreferredWaits = ReturnType<typeof createPreferredWaits>;
