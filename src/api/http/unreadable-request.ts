import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { FAILURES } from '../../domain/failures.ts';

/**
 * Answers what does not get as far as a request, as every other refusal is answered: a line or headers that are no HTTP,
 * or that are longer than the 16 KB which Node.js reads.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { httpStatus: status, sentence: title, retryable } = FAILURES.BAD_USER_INPUT;
  const detail =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'The address and headers of the request are longer than 16 KB.'
      : 'The request is not valid HTTP.';
  const requestId = randomUUID();
  const body = JSON.stringify({
    type: 'about:blank',
    title,
    status,
    detail,
    code: 'BAD_USER_INPUT',
    retryable,
    requestId,
  });
  const head = [
    `HTTP/1.1 ${status} Bad Request`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
