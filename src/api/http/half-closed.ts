import type { Server, ServerResponse } from 'node:http';
import { onceClosed } from './once-closed.ts';

/**
 * Answers a caller that closes its side of the connection after a whole request. Node.js closes such a connection
 * without an answer, unless this property says otherwise; its types do not list it.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Runs work once the caller of a response has closed its side of the connection: at once if it has already. It may still
 * read its answer, or have left, which only a write would show. So nothing waits for such a caller: an endless answer
 * ends, and a wait is answered at once.
 */
export function onceHalfClosed(res: ServerResponse, work: () => void): void {
  const { socket } = res.req;
  if (socket.readableEnded) {
    work();
    return;
  }
  socket.once('end', work);
  // The connection may carry further requests.
  onceClosed(res, () => socket.off('end', work));
}
