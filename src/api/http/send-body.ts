import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { getContext } from './request-context.ts';

/** Error codes of a connection that the caller has closed. */
const LEFT: readonly unknown[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];

/**
 * Streams the body of an answer as fast as the caller reads it. The status is sent already, so a body that breaks is cut off.
 * @param name of the answer, for the log
 */
export async function sendBody(res: Response, body: AsyncIterable<unknown>, name: string): Promise<void> {
  await pipeline(body, res).catch((error: NodeJS.ErrnoException) => {
    const level = LEFT.includes(error.code) ? 'debug' : 'warn';
    getContext(res).log[level]({ err: error }, `${name} ended early`);
    res.destroy();
  });
}
