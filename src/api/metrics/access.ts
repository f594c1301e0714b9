import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** What proxies add to a request that they hand on. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'];

/**
 * Whether a request may read the metrics: with a token, any bearer; without one, only a program on this machine that
 * asks for it by a name of this machine. A proxy beside us is on this machine too, and asks for others.
 */
export function mayReadMetrics(req: Pick<IncomingMessage, 'headers' | 'socket'>, token: string | null): boolean {
  if (token !== null) return isSame(req.headers.authorization ?? '', `Bearer ${token}`);
  if (PROXY_HEADERS.some((name) => req.headers[name] !== undefined)) return false;
  return isLoopback(req.socket.remoteAddress ?? '') && isLocalName(req.headers.host ?? '');
}

/** In a time that says nothing of where they differ. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function isLocalName(host: string): boolean {
  const hostname = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  return hostname === 'localhost' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
