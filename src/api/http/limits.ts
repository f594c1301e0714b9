import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { counted } from '../../domain/counted.ts';
import { requestsPerMinuteOf } from '../../domain/accounts/account.ts';
import { Failure } from '../../domain/failures.ts';
import type { GatewayLimits } from '../deps.ts';
import { callerOf } from './request-context.ts';
import { refuseSocket } from './unreadable-request.ts';

const WINDOW_MS = 60_000;

/**
 * Bounds the requests of one account, as its plan or the operator says, however many keys it has. Every answer carries
 * `RateLimit-Policy` and `RateLimit` (draft 8 of the IETF); a refusal carries `Retry-After` too.
 * @param limits a number that holds in place of those of plans
 */
export function limitPerAccount({ requestsPerAccount }: Pick<GatewayLimits, 'requestsPerAccount'>): RequestHandler {
  const limitOf = (_req: Request, res: Response): number => {
    const { account, plan } = callerOf(res);
    return requestsPerAccount ?? requestsPerMinuteOf(account, plan);
  };
  return limiter(limitOf, (_req, res) => callerOf(res).account.id, 'account');
}

/** Bounds the requests of the operator. */
export function limitOperator({ operatorRequests }: Pick<GatewayLimits, 'operatorRequests'>): RequestHandler {
  return limiter(
    () => operatorRequests,
    () => 'operator',
    'operator',
  );
}

/** Bounds guessing: runs on requests that failed to authenticate only, and counts them by address. */
export function limitFailedAuthentications({
  failedAuthentications,
}: Pick<GatewayLimits, 'failedAuthentications'>): RequestHandler {
  return limiter(
    () => failedAuthentications,
    (req) => ipKeyGenerator(req.ip ?? ''),
  );
}

/** Bounds attempts to sign in, by address, whether they succeed or not. */
export function limitSignIns({ signIns }: Pick<GatewayLimits, 'signIns'>): RequestHandler {
  return limiter(
    () => signIns,
    (req) => ipKeyGenerator(req.ip ?? ''),
  );
}

type KeyOf = (req: Request, res: Response) => string;

/** @param policy name of the limit in the headers of answers; without it, answers say nothing of the limit */
function limiter(limit: (req: Request, res: Response) => number, keyGenerator: KeyOf, policy?: string): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    standardHeaders: policy === undefined ? false : 'draft-8',
    ...(policy === undefined ? {} : { identifier: policy }),
    legacyHeaders: false,
    keyGenerator,
    validate: false,
    handler: (req, res, next) => {
      const { resetTime } = (req as Request & { rateLimit?: { resetTime?: Date } }).rateLimit ?? {};
      const waitMs = resetTime === undefined ? WINDOW_MS : resetTime.getTime() - Date.now();
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
      next(
        new Failure('RATE_LIMITED', {
          detail: `At most ${counted(limit(req, res), 'request')} a minute; try again later.`,
          retryAfterSeconds,
        }),
      );
    },
  });
}

export interface ConnectionLimits {
  /** Connections that one address may have open at once; addresses of this machine are not counted */
  connectionsPerAddress: number;
  /** Connections of one address that have sent no whole request yet */
  halfOpenPerAddress: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { connectionsPerAddress: 1000, halfOpenPerAddress: 100 };

/** A request that is on its way has this long before a newer one may take its place, in milliseconds. */
const HALF_OPEN_GRACE_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

interface Peer {
  open: number;
  /** Since when, in milliseconds, and Infinity before anything could be read of it; oldest first */
  halfOpen: Map<Socket, number>;
}

export interface ConnectionLimitOptions extends ConnectionLimits {
  /** Milliseconds of a clock that is never set back */
  now?: () => number;
  /** Addresses whose connections are not counted; by default those of this machine */
  isExempt?: (address: string) => boolean;
}

/**
 * Limits the connections of each address, so that one client cannot use up the connections of all others. IPv6 addresses count by their
 * network. A connection beyond the bound is refused with RATE_LIMITED. Of those that have sent no whole request, the
 * oldest makes room for a newer one. Not for use behind a proxy, where all connections come from one address.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { connectionsPerAddress, halfOpenPerAddress, isExempt = isLoopback } = options;
  const now = options.now ?? (() => performance.now());
  const peers = new Map<string, Peer>();

  server.on('connection', (socket: Socket) => {
    const address = ipKeyGenerator(socket.remoteAddress ?? '');
    const peer = peers.get(address) ?? { open: 0, halfOpen: new Map<Socket, number>() };
    peers.set(address, peer);
    peer.open += 1;
    peer.halfOpen.set(socket, Infinity);
    startClock(peer.halfOpen, socket);
    socket.once('close', () => {
      peer.open -= 1;
      peer.halfOpen.delete(socket);
      if (peer.open === 0) peers.delete(address);
    });
    if (peer.open > connectionsPerAddress && !isExempt(socket.remoteAddress ?? '')) {
      peer.halfOpen.delete(socket);
      const detail = `At most ${connectionsPerAddress} connections at once from one address. Close some first.`;
      refuseSocket(socket, { status: 429, code: 'RATE_LIMITED', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
    } else if (peer.halfOpen.size > halfOpenPerAddress) {
      endOldest(peer);
    }
  });
  server.on('request', ({ socket }: IncomingMessage) => {
    peers.get(ipKeyGenerator(socket.remoteAddress ?? ''))?.halfOpen.delete(socket);
  });

  /** Time counts once this process has had a turn to read: what a caller sent while it was busy is not the caller's delay. */
  function startClock(halfOpen: Peer['halfOpen'], socket: Socket): void {
    setImmediate(() => setImmediate(() => void (halfOpen.has(socket) && halfOpen.set(socket, now()))));
  }

  function endOldest({ halfOpen }: Peer): void {
    const [oldest, since] = halfOpen.entries().next().value!;
    if (now() - since < HALF_OPEN_GRACE_MS) return;
    halfOpen.delete(oldest);
    const detail = `At most ${halfOpenPerAddress} connections of one address may wait for a request. Send headers at once.`;
    refuseSocket(oldest, { status: 408, code: 'BAD_USER_INPUT', detail });
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
