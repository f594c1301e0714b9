import { isIP } from 'node:net';
import { Failure } from '@burnish/contract';
import { toHostname, toPort, type AllowedHost } from './allowed-hosts.ts';
import type { Resolve } from './checked-lookup.ts';

/**
 * The private hosts that callers may reach: those that the operator allows, except the hosted service. The operator's
 * setting allows the hosted service for Burnish only, never for addresses of callers.
 */
export function withoutHost(allowed: readonly AllowedHost[], withheld: URL): AllowedHost[] {
  const [hostname, port] = [toHostname(withheld), toPort(withheld)];
  return allowed.flatMap((host) => {
    if (host.hostname !== hostname || (host.port !== null && host.port !== port)) return [host];
    return host.port === null ? [{ ...host, exceptPort: port }] : [];
  });
}

/**
 * Refuses the withheld host under another name, such as its IP address or an alias.
 * @throws Failure URL_NOT_ALLOWED; errors of `resolve`
 */
export async function assertNotWithheld(url: URL, withheld: URL | undefined, resolve: Resolve): Promise<void> {
  if (withheld === undefined || toPort(url) !== toPort(withheld)) return;
  const [asked, kept] = await Promise.all([resolveAddresses(url, resolve), resolveAddresses(withheld, resolve)]);
  if (!asked.some((address) => kept.includes(address))) return;
  throw new Failure('URL_NOT_ALLOWED', { detail: 'The URL leads to a private network.' });
}

/** The addresses of a host. All addresses of this machine count as the same. */
async function resolveAddresses(url: URL, resolve: Resolve): Promise<string[]> {
  const hostname = toHostname(url).replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) === 0 ? await resolve(hostname) : [hostname];
  return addresses.map((address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return /^(127\.|0\.0\.0\.0$|::1?$)/.test(plain) ? 'this machine' : plain;
  });
}
