import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { FAILURES } from '../../domain/failures.ts';
import type { FailureCode } from '../../domain/failures.ts';
import { problemType } from './problem.ts';

/** How long a client that was refused may read the answer before its connection is cut, in milliseconds. */
const LINGER_MS = 1_000;

/** The answer to a connection that has sent no request. */
export interface SocketRefusal {
  status: number;
  code: FailureCode;
  detail: string;
  retryAfterSeconds?: number;
}

/**
 * Answers what does not get as far as a request, as every other refusal is answered: a line or headers that are no HTTP,
 * that are longer than the 16 KB which Node.js reads, or that take too long.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket(socket, refusalOf(error.code));
}

function refusalOf(errorCode: string | undefined): SocketRefusal {
  const code = 'BAD_USER_INPUT';
  if (errorCode === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, code, detail: 'The headers of the request took too long. Send them at once.' };
  }
  const detail =
    errorCode === 'HPE_HEADER_OVERFLOW'
      ? 'The address and headers of the request are longer than 16 KB.'
      : 'The request is not valid HTTP.';
  return { status: FAILURES[code].httpStatus, code, detail };
}

/** Answers a connection with a refusal, and cuts it: at once when the client has closed its side, and soon in any case. */
export function refuseSocket(socket: Duplex, { status, code, detail, retryAfterSeconds }: SocketRefusal): void {
  const requestId = randomUUID();
  const { sentence: title, retryable } = FAILURES[code];
  const body = JSON.stringify({ type: problemType(code, status), title, status, detail, code, retryable, requestId });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...(retryAfterSeconds === undefined ? [] : [`Retry-After: ${retryAfterSeconds}`]),
  ];
  // What the client still sends is read and dropped: unread bytes would take the answer with them.
  socket.removeAllListeners('data').resume();
  socket.on('error', () => socket.destroy()).once('end', () => socket.destroy());
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
