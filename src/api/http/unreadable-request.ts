import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { explainFailure, FAILURES, type FailureCode } from '@burnish/contract';
import { problemType } from './problem.ts';

/** Time in milliseconds for a refused client to read the response before its connection is closed. */
const LINGER_MS = 1_000;

export interface SocketRefusal {
  code: FailureCode;
  detail: string;
  retryAfterSeconds?: number;
}

/**
 * Responds to unreadable input in the form of other refusals: invalid HTTP, headers over Node.js's limit of 16 KB, or
 * headers that take too long.
 */
export function refuseUnreadable(server: Server): void {
  const late = new Set<Duplex>();
  server.on('request', ({ socket }: IncomingMessage) => late.delete(socket));
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // In a busy process whole headers may have arrived unread, so pending events run first.
      late.add(socket);
      setImmediate(() => setImmediate(() => void (late.delete(socket) && refuseSocket(socket, toRefusal(error.code)))));
    } else {
      refuseSocket(socket, toRefusal(error.code));
    }
  });
}

function toRefusal(errorCode: string | undefined): SocketRefusal {
  if (errorCode === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { code: 'REQUEST_TIMEOUT', detail: 'The headers of the request arrived too slowly.' };
  }
  const detail =
    errorCode === 'HPE_HEADER_OVERFLOW'
      ? 'The URL and headers of the request are longer than 16 KB. Send long values in the body.'
      : 'The request is not valid HTTP. Use an HTTP client such as curl, and http where the server has no TLS.';
  return { code: 'BAD_USER_INPUT', detail };
}

/**
 * Sends a refusal on a connection and closes it: at once if the client has closed its side, otherwise after a short
 * time.
 */
export function refuseSocket(socket: Duplex, { code, detail, retryAfterSeconds }: SocketRefusal): void {
  const requestId = randomUUID();
  const { httpStatus: status, sentence: title, retryable } = FAILURES[code];
  const type = problemType(code, status);
  const body = JSON.stringify({ type, title, status, ...explainFailure(code, detail), code, retryable, requestId });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
  ];
  // Reads and discards further input: with unread bytes, the close would discard the response.
  socket.removeAllListeners('data').resume();
  socket.on('error', () => socket.destroy()).once('end', () => socket.destroy());
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
