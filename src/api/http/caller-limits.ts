import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { counted } from '../../domain/counted.ts';
import { effectiveRequestsPerMinute } from '../../domain/accounts/account.ts';
import { Failure } from '../../domain/failures.ts';
import type { GatewayLimits } from '../deps.ts';
import { getCaller } from './request-context.ts';
import { refuseSocket } from './unreadable-request.ts';

const WINDOW_MS = 60_000;

/**
 * Limits the requests of one account over all its keys, by its plan or by the operator's setting. Every response
 * carries `RateLimit-Policy` and `RateLimit` (draft 8 of the IETF); a refusal carries `Retry-After` too.
 * @param limits a number that overrides those of plans
 */
export function limitPerAccount({ requestsPerAccount }: Pick<GatewayLimits, 'requestsPerAccount'>): RequestHandler {
  const findLimit = (_req: Request, res: Response): number => {
    const { account, plan } = getCaller(res);
    return requestsPerAccount ?? effectiveRequestsPerMinute(account, plan);
  };
  return limiter(findLimit, (_req, res) => getCaller(res).account.id, 'account');
}

export function limitOperator({ operatorRequests }: Pick<GatewayLimits, 'operatorRequests'>): RequestHandler {
  return limiter(
    () => operatorRequests,
    () => 'operator',
    'operator',
  );
}

/** Limits guessing: runs only on requests that failed to authenticate, and counts them by address. */
export function limitFailedAuthentications({
  failedAuthentications,
}: Pick<GatewayLimits, 'failedAuthentications'>): RequestHandler {
  return limiter(
    () => failedAuthentications,
    (req) => ipKeyGenerator(req.ip ?? ''),
  );
}

/**
 * Counts an attempt to sign in: one with a valid key by that key, and any other by its address. Failures of others at the same
 * address therefore keep nobody with a valid key out.
 * @throws Failure RATE_LIMITED
 */
export type CountSignIn = (req: Request, res: Response, keyId?: string) => Promise<void>;

export function limitSignIns({ signIns }: Pick<GatewayLimits, 'signIns'>): CountSignIn {
  const createLimit = (keyOf: KeyOf): RequestHandler => limiter(() => signIns, keyOf);
  const failures = createLimit((req) => ipKeyGenerator(req.ip ?? ''));
  const successes = createLimit((_req, res) => res.locals['signedInKey'] as string);
  return (req, res, keyId) =>
    new Promise((resolve, reject) => {
      res.locals['signedInKey'] = keyId;
      const limit = keyId === undefined ? failures : successes;
      void limit(req, res, (refusal?: unknown) => (refusal instanceof Error ? reject(refusal) : resolve()));
    });
}

type KeyOf = (req: Request, res: Response) => string;

/** @param policy name of the limit in response headers; without it, responses do not mention the limit */
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
          detail: `At most ${counted(limit(req, res), 'request')} per minute. Try again later.`,
          retryAfterSeconds,
        }),
      );
    },
  });
}

export interface ConnectionLimits {
  /** Concurrent connections of one address; addresses of this machine are exempt */
  connectionsPerAddress: number;
  /** Connections of one address without a complete request; addresses of this machine are exempt */
  halfOpenPerAddress: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { connectionsPerAddress: 1000, halfOpenPerAddress: 100 };

/** Time in milliseconds that an incomplete request has before a newer one may replace it. */
const HALF_OPEN_GRACE_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;

interface Peer {
  open: number;
  /** Start times in milliseconds, and Infinity before the process could read from the connection; oldest first */
  halfOpen: Map<Socket, number>;
}

export interface ConnectionLimitOptions extends ConnectionLimits {
  /** Milliseconds of a monotonic clock */
  now?: () => number;
  /** Exempt addresses; by default those of this machine */
  isExempt?: (address: string) => boolean;
}

/**
 * Limits the connections of each address, so that one client cannot exhaust the connections of all others. IPv6
 * addresses count by their network. A connection beyond the limit is refused with RATE_LIMITED. Beyond the limit of
 * connections without a complete request, the oldest one is closed. Not for use behind a proxy, where all connections
 * come from one address, and without effect on callers of this machine.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { connectionsPerAddress, halfOpenPerAddress, isExempt = isLoopback } = options;
  const now = options.now ?? (() => performance.now());
  const peers = new Map<string, Peer>();

  server.on('connection', (socket: Socket) => {
    if (isExempt(socket.remoteAddress ?? '')) return;
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
    if (peer.open > connectionsPerAddress) {
      peer.halfOpen.delete(socket);
      const detail = `At most ${connectionsPerAddress} parallel connections from one IP address. Close some first.`;
      refuseSocket(socket, { code: 'RATE_LIMITED', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
    } else if (peer.halfOpen.size > halfOpenPerAddress) {
      endOldest(peer);
    }
  });
  server.on('request', ({ socket }: IncomingMessage) => {
    peers.get(ipKeyGenerator(socket.remoteAddress ?? ''))?.halfOpen.delete(socket);
  });

  /**
   * Starts the clock once this process could read from the connection: a caller is not responsible for the delay of a
   * busy process.
   */
  function startClock(halfOpen: Peer['halfOpen'], socket: Socket): void {
    setImmediate(() => setImmediate(() => void (halfOpen.has(socket) && halfOpen.set(socket, now()))));
  }

  function endOldest({ halfOpen }: Peer): void {
    const [oldest, since] = halfOpen.entries().next().value!;
    if (now() - since < HALF_OPEN_GRACE_MS) return;
    halfOpen.delete(oldest);
    const detail = `At most ${halfOpenPerAddress} connections of one IP address without a complete request. Send the headers without delay.`;
    refuseSocket(oldest, { code: 'REQUEST_TIMEOUT', detail });
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
