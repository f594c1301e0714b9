import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Caller } from '../commands/command-types.ts';
import { createBell } from '../events/follow-upload.ts';
import type { ChangeFanout } from '../events/change-fanout.ts';
import { callerOf, contextOf, headerOf } from '../http/request-context.ts';

/** The longest wait for a result in one request, seconds: proxies give up not much later. */
export const MAX_WAIT_SECONDS = 60;
/** What a connection may rest beyond the wait until its answer is out, milliseconds. */
const ANSWER_MS = 10_000;

/** The request header of operations that can wait. */
export const preferHeader = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: `RFC 7240: \`wait=30\` answers with the finished record as soon as there is one, or after 30 seconds with 202 as usual. At most ${MAX_WAIT_SECONDS} seconds count, and 20 requests of a key wait at once. The work goes before that of callers who do not wait, unless \`priority\` is BATCH.`,
      example: 'wait=30',
    }),
});

/** A request for work, whose answer may wait for the result. */
export interface PreferredWait {
  /** The caller; `waits` gives its work an earlier turn */
  caller: Caller;
  /**
   * The record as soon as it is finished; undefined when the time is over before, when the caller has gone, and for a
   * request without a wait. Says in the answer that it has waited.
   */
  finished<Row>(
    uploadId: string,
    read: () => Promise<Row | undefined>,
    isFinished: (row: Row) => boolean,
  ): Promise<Row | undefined>;
}

export interface PreferredWaitDeps {
  fanout: Pick<ChangeFanout, 'subscribe'>;
  /** Requests of one API key that may wait at once */
  waitsPerKey: number;
  /** Ends every wait */
  closing: AbortSignal;
}

export type PreferredWaits = ReturnType<typeof createPreferredWaits>;

/**
 * `Prefer: wait=N` (RFC 7240). As the RFC has it, what cannot be followed is passed over: beyond the bound of its key a request
 * is answered at once, as if it had not asked.
 */
export function createPreferredWaits({ fanout, waitsPerKey, closing }: PreferredWaitDeps) {
  const waiting = new Map<string, number>();

  return (req: Request<object>, res: Response): PreferredWait => {
    const caller = callerOf(res);
    const { keyId } = caller;
    const seconds = waitOf(headerOf(req, 'prefer'));
    const already = waiting.get(keyId) ?? 0;
    if (seconds === 0 || already >= waitsPerKey) return { caller, finished: async () => undefined };
    waiting.set(keyId, already + 1);
    const gone = new AbortController();
    res.once('close', () => {
      gone.abort();
      const left = waiting.get(keyId)! - 1;
      if (left > 0) waiting.set(keyId, left);
      else waiting.delete(keyId);
    });

    return {
      caller: { ...caller, waits: true },
      async finished(uploadId, read, isFinished) {
        res.set('Preference-Applied', `wait=${seconds}`);
        // The request is taken in, so its place is free for another.
        contextOf(res).leavePlace?.();
        contextOf(res).freeKey?.();
        req.socket.setTimeout(seconds * 1000 + ANSWER_MS);
        const stopped = AbortSignal.any([gone.signal, closing, AbortSignal.timeout(seconds * 1000)]);
        const bell = createBell(stopped);
        const unsubscribe = fanout.subscribe(uploadId, bell.ring);
        const over = new Promise<undefined>((resolve) => {
          if (stopped.aborted) resolve(undefined);
          stopped.addEventListener('abort', () => resolve(undefined), { once: true });
        });
        try {
          for (;;) {
            bell.reset();
            // The work is accepted, so trouble with reading it is no failure of this request.
            const row = await Promise.race([read().catch(() => undefined), over]);
            if (row !== undefined && isFinished(row)) return row;
            if (stopped.aborted) return undefined;
            await bell.rung();
          }
        } finally {
          unsubscribe();
        }
      },
    };
  };
}

/** Seconds of the first `wait` among the preferences, at most 60; 0 where there is none that can be followed. */
function waitOf(header = ''): number {
  const preferences = header.match(/(?:[^,"]|"(?:\\.|[^"\\])*")+/g) ?? [];
  const wait = preferences
    .map((each) => /^\s*wait\s*=\s*("?)([^";\s]*)\1\s*(?:;|$)/i.exec(each))
    .find((each) => each !== null);
  const text = wait?.[2] ?? '';
  return /^\d{1,9}$/.test(text) ? Math.min(Number(text), MAX_WAIT_SECONDS) : 0;
}
