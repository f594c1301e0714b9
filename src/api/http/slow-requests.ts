import type { Request, RequestHandler, Response } from 'express';
import { Failure } from '@burnish/contract';
import { cutOff, isArriving } from './problem.ts';
import { getContext } from './request-context.ts';
import type { Socket } from 'node:net';

export interface BodyLimits {
  /** Bytes a second that a body needs on average; with 0, any byte is enough for the longest wait */
  bodyFloor: number;
  /** Time in milliseconds that a body may wait for its first bytes, and half of the longest wait */
  bodyPatienceMs: number;
}

/** Checks within the patience. */
const TICKS = 30;

interface Watched {
  req: Request;
  res: Response;
  startedAt: number;
  /** Bytes of the connection before the body, and at the last check */
  before: number;
  read: number;
  /** Milliseconds that the gateway still waits for bytes */
  leftMs: number;
}

/**
 * Refuses a body that arrives too slowly, with REQUEST_TIMEOUT. A body may wait for a time. Each second's worth of bytes
 * adds a second, up to twice that time, so a fast sender may pause. Time counts only while the gateway has read
 * everything that arrived.
 */
export function limitSlowBodies({ bodyFloor, bodyPatienceMs }: BodyLimits): RequestHandler {
  const mostMs = 2 * bodyPatienceMs;
  const tickMs = bodyPatienceMs / TICKS;
  const watched = new Set<Watched>();
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    for (const body of watched) {
      if (!isAwaited(body)) {
        watched.delete(body);
        continue;
      }
      count(body);
      if (body.req.readableLength > 0) continue;
      // The time of one check, however late this one is: a busy or stopped process is not the sender's fault.
      body.leftMs -= tickMs;
      if (body.leftMs <= 0) end(body);
    }
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function count(body: Watched): void {
    const bytes = body.req.socket.bytesRead - body.read;
    if (bytes === 0) return;
    body.read += bytes;
    body.leftMs = Math.min(mostMs, body.leftMs + (bytes / bodyFloor) * 1000);
  }

  /** In a busy process bytes may have arrived unread, so pending events run first. */
  function end(body: Watched): void {
    setImmediate(() =>
      setImmediate(() => {
        count(body);
        if (body.leftMs > 0 || body.req.readableLength > 0 || !isAwaited(body)) return;
        cutOff(body.req, body.res, new Failure('REQUEST_TIMEOUT'));
      }),
    );
  }

  return (req, res, next) => {
    if (isArriving(req)) {
      const { bytesRead } = req.socket;
      const startedAt = performance.now();
      const body = { req, res, startedAt, before: bytesRead, read: bytesRead, leftMs: bodyPatienceMs };
      watched.add(body);
      timer ??= setInterval(check, tickMs).unref();
      getContext(res).arriving = {
        rate: () => (isAwaited(body) && req.readableLength === 0 ? rateOf(body) : undefined),
        end: (failure) => cutOff(req, res, failure),
      };
    }
    next();
  };
}

const isAwaited = ({ req, res }: Watched): boolean => isArriving(req) && !res.headersSent && !res.closed;

const rateOf = ({ req, before, startedAt }: Watched): number =>
  ((req.socket.bytesRead - before) * 1000) / (performance.now() - startedAt + 1);

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
