import type { IncomingHttpHeaders } from 'node:http';

/** Names of this machine in its browsers. A foreign page's own name cannot resolve to one of them. */
const OWN_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Headers of one connection (RFC 9110, section 7.6.1), which are not forwarded. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Whether `Host` names this machine. Any other name belongs to a foreign page, with a name that resolves to this
 * machine.
 */
export function namesThisMachine(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  return OWN_NAMES.has(new URL(`http://${host}`).hostname);
}

/**
 * Whether a request comes from a page of this origin, from the address bar, or from a link that opens a page.
 * Programs other than browsers send neither header.
 */
export function isFromThisOrigin(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

export function readCookie({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const parts = cookie.split(';').map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The forwarded headers of a message. @param without names of omitted headers in lower case */
export function forwardedHeaders(headers: IncomingHttpHeaders, ...without: string[]): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name) && !without.includes(name)),
  );
}
