import type { Request } from 'express';
import { headerOf } from '../http/request-context.ts';

/** The header that our page sends with all it asks; a page of another origin cannot, without asking first. */
export const SESSION_HEADER = 'x-burnish-session';

/**
 * Whether a request comes from our own page, as browsers say it: those of other sites, also of another port of the same
 * machine, are sent with the cookie or without, and are not to be carried out on its strength.
 * @param publicUrl where callers reach the gateway; it may be reached under the name in `Host` too
 */
export function isFromOwnPage(req: Request, publicUrl: string): boolean {
  const site = headerOf(req, 'sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = headerOf(req, 'origin');
  if (origin === undefined) return true;
  return origin === new URL(publicUrl).origin || originHost(origin) === headerOf(req, 'host');
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
