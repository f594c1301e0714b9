import { isIP } from 'node:net';
import { Failure } from '@burnish/contract';
import { isPublicAddress } from './address-policy.ts';
import { toHostname, isAllowedHost, toPort, type AllowedHost } from './allowed-hosts.ts';

/**
 * The sentence about a private address, with the setting that permits it. It names the host, and not the rest of the URL, which
 * may contain a secret.
 */
export const privateNetwork = (hostname: string): string =>
  `The URL leads to a private network. Use a public URL, or ask the operator to add ${hostname} to BURNISH_ALLOWED_PRIVATE_HOSTS.`;

const MAX_URL_LENGTH = 8192;
/**
 * Below this port only the ports of the web are allowed: the others belong to services that a forged HTTP request
 * could attack.
 */
const FIRST_UNPRIVILEGED_PORT = 1024;

/**
 * Checks an address without DNS. WHATWG URL has already converted every spelling of an IPv4 address (decimal, octal,
 * hexadecimal, short, full-width) to the usual one.
 * @param field the input field of the address, for the error
 * @throws Failure URL_NOT_ALLOWED
 */
export function checkUrl(text: string, allowed: readonly AllowedHost[], field?: string): URL {
  const refuse = (detail: string): Failure =>
    new Failure('URL_NOT_ALLOWED', { detail, ...(field === undefined ? {} : { field }) });

  if (text.length > MAX_URL_LENGTH) throw refuse(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  if (!URL.canParse(text)) throw refuse('The URL is not valid. Send one that starts with https:// or http://.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw refuse('Only http and https URLs are allowed. Send one that starts with https:// or http://.');
  if (url.username !== '' || url.password !== '')
    throw refuse('The URL contains a user name or a password. Remove them, or use a presigned URL.');
  if (isAllowedHost(url, allowed)) return url;

  const port = toPort(url);
  if (port !== 80 && port !== 443 && port < FIRST_UNPRIVILEGED_PORT)
    throw refuse(`Port ${port} is not allowed. Use 80, 443 or a port from ${FIRST_UNPRIVILEGED_PORT}.`);
  const hostname = toHostname(url);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 ? !isPublicAddress(address) : !isPublicName(hostname)) {
    throw refuse(privateNetwork(hostname));
  }
  return url;
}

/** @throws Failure URL_NOT_ALLOWED, also for http to a host that the operator has not allowed */
export function checkEndpointUrl(text: string, allowed: readonly AllowedHost[], field?: string): void {
  const url = checkUrl(text, allowed, field);
  if (url.protocol === 'https:' || isAllowedHost(url, allowed)) return;
  throw new Failure('URL_NOT_ALLOWED', {
    detail: 'Only https URLs are allowed here. Use https.',
    ...(field === undefined ? {} : { field }),
  });
}

/** RFC 6761: names that end in `localhost` belong to the machine itself, regardless of DNS. */
function isPublicName(hostname: string): boolean {
  return hostname !== '' && hostname !== 'localhost' && !hostname.endsWith('.localhost');
}
