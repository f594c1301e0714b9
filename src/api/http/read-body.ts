import type { Request } from 'express';
import { Failure } from '@burnish/contract';

/**
 * Reads a whole body into memory, also of a caller that has closed its side of the connection since. The parsers of Express
 * take such a request for one without a body.
 * @throws Failure BAD_USER_INPUT above `mostBytes`, before any byte where the length is declared; UNSUPPORTED_MEDIA_TYPE for a
 * compressed body; the stream's own error when the caller leaves
 */
export async function readBody(req: Request<object>, mostBytes: number): Promise<Buffer> {
  const { 'content-encoding': encoding = 'identity', 'content-length': declared } = req.headers;
  if (encoding.toLowerCase() !== 'identity') throw undecodable();
  if (Number(declared ?? 0) > mostBytes) throw new BodyTooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open, so that it can carry a refusal.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const undecodable = (): Failure =>
  new Failure('UNSUPPORTED_MEDIA_TYPE', {
    detail: 'The encoding of the body is not supported. Send it without Content-Encoding, as UTF-8.',
  });

/** A body above its limit, for which GraphQL has a status of its own. */
export class BodyTooLarge extends Failure {
  constructor() {
    super('BAD_USER_INPUT', { detail: 'The request body is larger than the limit. Send less at once.' });
  }
}
