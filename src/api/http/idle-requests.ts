import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { Failure } from '../../domain/failures.ts';
import { sendProblem } from './problem.ts';

/**
 * Decides on a request whose connection was idle for the server's idle timeout. Without this handler, Node.js closes
 * the connection. A body that stopped arriving is refused with REQUEST_TIMEOUT. A request waits on while this process
 * delays it: some bytes of its body are unread, or all have arrived and the response is in preparation. A client that
 * does not read its response is disconnected.
 */
export const limitIdleRequests: RequestHandler = (req, res, next) => {
  res.on('timeout', (socket: Socket) => {
    if (res.headersSent) {
      socket.destroy();
      return;
    }
    const { bytesRead } = socket;
    // In a busy process bytes may have arrived unread, so pending events run first.
    setImmediate(() => setImmediate(() => decide(socket, bytesRead)));
  });

  function decide(socket: Socket, bytesRead: number): void {
    if (socket.destroyed || res.headersSent) return;
    const isSilent = !req.complete && req.readableLength === 0 && socket.bytesRead === bytesRead;
    if (isSilent) refuse();
    else socket.setTimeout(socket.timeout!);
  }

  function refuse(): void {
    const failure = new Failure('REQUEST_TIMEOUT');
    // Node.js no longer reports the end of the connection to a reader of the body after the response.
    res.once('finish', () => req.destroy(failure));
    sendProblem(req, res, failure);
  }
  next();
};
