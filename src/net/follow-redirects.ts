import type { Deadline } from '../process/deadline.ts';
import { fetchFailure } from './fetch-failure.ts';
import { openHop, type FetchPolicy, type Hop } from './hop.ts';
import { checkUrl } from './url-policy.ts';

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/**
 * Requests an address and follows its redirects. Each redirect must pass the same rules as the first address. The
 * caller's headers are sent to the first origin only.
 * @throws Failure URL_NOT_ALLOWED, URL_FETCH_FAILED; the errors of `openHop`
 */
export async function followRedirects(
  address: string,
  headers: Record<string, string>,
  policy: FetchPolicy,
  deadline: Deadline,
): Promise<{ url: URL; hop: Hop }> {
  let url = checkUrl(address, policy.allowedPrivateHosts);
  let sent = headers;
  for (let redirects = 0; ; redirects += 1) {
    const hop = await openHop(url, { method: 'GET', headers: sent }, policy, deadline);
    const location = REDIRECT_STATUSES.has(hop.status) ? hop.header('location') : undefined;
    if (location === undefined) return { url, hop };
    hop.close();
    if (redirects === MAX_REDIRECTS) throw fetchFailure('The URL redirects too often.', false);
    if (!URL.canParse(location, url.href)) throw fetchFailure('The URL redirects to an invalid URL.', false);
    const next = checkUrl(new URL(location, url).href, policy.allowedPrivateHosts);
    if (next.origin !== url.origin) sent = {};
    url = next;
  }
}
