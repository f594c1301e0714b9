import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import { refuseSocket } from './http/unreadable-request.ts';

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
 * Bounds the connections of each address, so that one client cannot take the room of all. IPv6 addresses count by their
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
