import type { LookupFunction } from 'node:net';
import { isAllowedHost } from './allowed-hosts.ts';
import { checkedLookup } from './checked-lookup.ts';
import type { FetchPolicy } from './hop.ts';
import { checkEndpointUrl, checkUrl } from './url-policy.ts';
import { assertNotWithheld } from './withheld-host.ts';

/**
 * Checks the endpoint of a client that opens connections itself, such as that of S3.
 * @returns the lookup for its connections, which refuses private addresses
 * @throws Failure URL_NOT_ALLOWED
 */
export async function checkConnection(
  endpoint: string,
  { allowedPrivateHosts, withheld, resolve }: Pick<FetchPolicy, 'allowedPrivateHosts' | 'withheld' | 'resolve'>,
): Promise<LookupFunction> {
  checkEndpointUrl(endpoint, allowedPrivateHosts, 'endpoint');
  const url = checkUrl(endpoint, allowedPrivateHosts, 'endpoint');
  const isAllowed = isAllowedHost(url, allowedPrivateHosts);
  if (isAllowed) await assertNotWithheld(url, withheld, resolve);
  return checkedLookup(resolve, isAllowed);
}
