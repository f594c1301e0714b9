import { ipKeyGenerator } from 'express-rate-limit';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuseSocket } from './unreadable-request.ts';

export interface ConnectionLimits {
  /** Concurrent connections of all addresses */
  connectionsInTotal: number;
  /** Concurrent connections of one address; addresses of this machine are exempt */
  connectionsPerAddress: number;
  /** Connections of one address without a complete request; addresses of this machine are exempt */
  halfOpenPerAddress: number;
}

/** The total is high enough to refuse a burst of uploads with a response instead of broken connections. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsInTotal: 5000,
  connectionsPerAddress: 1000,
  halfOpenPerAddress: 100,
};

/** Time in milliseconds that an incomplete request has before a newer one may replace it. */
const GRACE_MS = 1_000;
const RETRY_AFTER_SECONDS = 5;
/** The caller of connections without an authenticated request. */
const NOBODY = '';

interface Peer {
  open: number;
  halfOpen: Set<Socket>;
}

interface Connection {
  /** Milliseconds, and Infinity before the process could read from the connection */
  since: number;
  /** Account of the last authenticated request */
  caller: string;
  /** Whether a response is in preparation */
  isServed: boolean;
  /** Receives the account of an authenticated request */
  note: (caller: string) => void;
}

export interface ConnectionLimitOptions extends ConnectionLimits {
  /** Whether addresses are counted */
  perAddress?: boolean;
  /** Milliseconds of a monotonic clock */
  now?: () => number;
  /** Exempt addresses; by default those of this machine */
  isExempt?: (address: string) => boolean;
}

const CONNECTIONS = new WeakMap<Socket, Connection>();

/** Notes whose request a connection carries, so that it is not closed in favour of connections of others. */
export function noteCaller(socket: Socket, accountId: string): void {
  CONNECTIONS.get(socket)?.note(accountId);
}

/**
 * Limits the connections of each address, so that one client cannot exhaust the connections of all others. IPv6
 * addresses count by their network. A connection beyond the limit is refused with RATE_LIMITED. Beyond the limit of
 * connections without a complete request, the oldest one is closed. Not for use behind a proxy, where all connections
 * come from one address, and without effect on callers of this machine.
 *
 * Beyond the limit of all connections, the oldest one of the caller with the most is closed, also of this machine and
 * behind a proxy. All connections without an authenticated request are of one caller. A connection with a request in
 * work stays, unless it has no caller.
 */
export function limitConnections(server: Server, options: ConnectionLimitOptions): void {
  const { connectionsInTotal, connectionsPerAddress, halfOpenPerAddress } = options;
  const { perAddress = true, isExempt = isLoopback } = options;
  const now = options.now ?? (() => performance.now());
  const peers = new Map<string, Peer>();
  /** Sockets by caller, oldest first */
  const callers = new Map<string, Set<Socket>>();
  let open = 0;

  server.on('connection', (socket: Socket) => {
    const note = (caller: string): void => {
      if (caller === connection.caller) return;
      forget(socket, connection.caller);
      connection.caller = caller;
      remember(socket, caller);
    };
    const connection: Connection = { since: Infinity, caller: NOBODY, isServed: false, note };
    CONNECTIONS.set(socket, connection);
    open += 1;
    remember(socket, NOBODY);
    // The clock starts once this process could read: a caller is not responsible for the delay of a busy process.
    setImmediate(() => setImmediate(() => (connection.since = now())));
    socket.once('close', () => {
      open -= 1;
      forget(socket, connection.caller);
    });
    if (open > connectionsInTotal && !makeRoom())
      refuse(socket, `At most ${connectionsInTotal} connections at once. Try again later.`);
    else if (perAddress && !isExempt(socket.remoteAddress ?? '')) countAddress(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    peers.get(addressOf(socket))?.halfOpen.delete(socket);
    const connection = CONNECTIONS.get(socket);
    if (connection === undefined) return;
    connection.isServed = true;
    // A response that ends otherwise ends its connection, too.
    res.once('finish', () => (connection.isServed = false));
  });

  function remember(socket: Socket, caller: string): void {
    const sockets = callers.get(caller) ?? new Set();
    callers.set(caller, sockets.add(socket));
  }

  function forget(socket: Socket, caller: string): void {
    const sockets = callers.get(caller);
    if (sockets?.delete(socket) === true && sockets.size === 0) callers.delete(caller);
  }

  /** Closes a connection of the caller with the most. @returns whether there was one to close */
  function makeRoom(): boolean {
    for (const [caller, sockets] of [...callers].toSorted(([, a], [, b]) => b.size - a.size)) {
      for (const socket of sockets) {
        const { since, isServed } = CONNECTIONS.get(socket)!;
        if (now() - since < GRACE_MS) break;
        if (caller !== NOBODY && isServed) continue;
        forget(socket, caller);
        socket.destroy();
        return true;
      }
    }
    return false;
  }

  function countAddress(socket: Socket): void {
    const address = addressOf(socket);
    const peer = peers.get(address) ?? { open: 0, halfOpen: new Set<Socket>() };
    peers.set(address, peer);
    peer.open += 1;
    peer.halfOpen.add(socket);
    socket.once('close', () => {
      peer.open -= 1;
      peer.halfOpen.delete(socket);
      if (peer.open === 0) peers.delete(address);
    });
    if (peer.open > connectionsPerAddress) {
      peer.halfOpen.delete(socket);
      refuse(socket, `At most ${connectionsPerAddress} parallel connections from one IP address. Close some first.`);
    } else if (peer.halfOpen.size > halfOpenPerAddress) {
      endOldest(peer);
    }
  }

  function endOldest({ halfOpen }: Peer): void {
    const [oldest] = halfOpen;
    if (now() - CONNECTIONS.get(oldest!)!.since < GRACE_MS) return;
    halfOpen.delete(oldest!);
    const detail = `At most ${halfOpenPerAddress} connections of one IP address without a complete request. Send the headers without delay.`;
    refuseSocket(oldest!, { code: 'REQUEST_TIMEOUT', detail });
  }
}

function refuse(socket: Socket, detail: string): void {
  refuseSocket(socket, { code: 'RATE_LIMITED', detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const addressOf = (socket: Socket): string => ipKeyGenerator(socket.remoteAddress ?? '');

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
