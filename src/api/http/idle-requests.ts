import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';

/**
 * Decides on a request whose connection was idle for the server's idle timeout. Without this handler, Node.js closes
 * the connection. A client that does not read its response is disconnected. Any other request waits on: this process
 * delays it, or `limitSlowBodies` decides about its body.
 */
export const limitIdleRequests: RequestHandler = (_req, res, next) => {
  res.on('timeout', (socket: Socket) => {
    if (res.headersSent) socket.destroy();
    else socket.setTimeout(socket.timeout!);
  });
  next();
};
