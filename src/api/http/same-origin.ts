import type { Request } from 'express';
import { readHeader } from './request-context.ts';

/**
 * The header of all requests from the dashboard's page; a page of another origin cannot send it without a preflight
 * request.
 */
export const SESSION_HEADER = 'x-burnish-session';

/**
 * Whether a request comes from the dashboard's own page, according to the browser's headers. Requests of other sites,
 * including another port of the same machine, may carry the cookie, but it must not authorize them.
 * @param publicUrl base URL of the gateway for callers; the name in `Host` is accepted too
 */
export function isFromOwnPage(req: Request, publicUrl: string): boolean {
  const site = readHeader(req, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = readHeader(req, 'origin');
  if (origin === undefined) return true;
  return origin === new URL(publicUrl).origin || originHost(origin) === readHeader(req, 'host');
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
