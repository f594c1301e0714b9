import type { AllowedHost } from './allowed-hosts.ts';
import { systemResolve } from './checked-lookup.ts';
import type { Resolve } from './checked-lookup.ts';
import { download } from './download.ts';
import type { Download, DownloadOptions } from './download.ts';
import { exchange } from './exchange.ts';
import type { Exchange, ExchangeOptions } from './exchange.ts';
import type { FetchPolicy, FetchTimeouts } from './hop.ts';
import { post } from './post.ts';
import type { PostAnswer, PostOptions } from './post.ts';
import { checkEndpointUrl, checkUrl } from './url-policy.ts';
import { withoutHost } from './withheld-host.ts';

export type { Download, DownloadOptions, Exchange, ExchangeOptions, PostAnswer, PostOptions };

const TIMEOUTS: FetchTimeouts = { connectMs: 10_000, headersMs: 30_000, bodyIdleMs: 30_000 };

/**
 * The one way out to an address that someone gave us. It reaches the public internet and the hosts that the operator
 * has allowed, and nothing else: the rules hold for the address as written, for every answer of DNS (the connection
 * goes to the very address that was checked) and for every redirect. Each request has a connection of its own.
 *
 * Errors are a `Failure`, whose `retryable` tells whether the same address may do better another time (network, 5xx,
 * 408, 425, 429), or the reason of the caller's own signal.
 */
export interface SafeFetch {
  /**
   * Gets a file; up to five redirects.
   * @throws Failure URL_NOT_ALLOWED, URL_FETCH_FAILED, FILE_TOO_LARGE
   */
  download(url: string, options: DownloadOptions): Promise<Download>;
  /**
   * Posts a text and answers with whatever status comes. Redirects are not followed.
   * @throws Failure URL_NOT_ALLOWED; URL_FETCH_FAILED when no answer came
   */
  post(url: string, options: PostOptions): Promise<PostAnswer>;
  /**
   * Sends a text or a stream and reads the whole answer, whatever its status. Redirects are not followed. When no whole
   * answer came, it tells whether the other side may have got the request.
   * @throws only the reason of the caller's own signal
   */
  exchange(url: string, options: ExchangeOptions): Promise<Exchange>;
  /**
   * What can be said of an address at once, without asking DNS: for the gateway, before work begins.
   * @param field the input field that holds it, for the error
   * @throws Failure URL_NOT_ALLOWED
   */
  assertAllowedUrl(url: string, field?: string): void;
  /** As `assertAllowedUrl`, for an address that is kept: it has to be https, unless the operator has allowed its host. */
  assertAllowedEndpoint(url: string, field?: string): void;
}

export interface SafeFetchDeps {
  /** See `parseAllowedHosts` */
  allowedPrivateHosts: readonly AllowedHost[];
  /** A host that stays out of reach although it stands among these: the hosted service, for addresses of callers */
  withheld?: string | undefined;
  /** Epoch milliseconds */
  now?: () => number;
  resolve?: Resolve;
  timeouts?: Partial<FetchTimeouts>;
}

export function createSafeFetch(deps: SafeFetchDeps): SafeFetch {
  const { now = Date.now, resolve = systemResolve, timeouts } = deps;
  const withheld = deps.withheld === undefined ? undefined : new URL(deps.withheld);
  const allowedPrivateHosts =
    withheld === undefined ? deps.allowedPrivateHosts : withoutHost(deps.allowedPrivateHosts, withheld);
  const policy: FetchPolicy = { allowedPrivateHosts, withheld, resolve, timeouts: { ...TIMEOUTS, ...timeouts } };
  return {
    download: (url, options) => download(url, options, policy),
    post: (url, options) => post(url, options, policy, now),
    exchange: (url, options) => exchange(url, options, policy, now),
    assertAllowedUrl: (url, field) => void checkUrl(url, allowedPrivateHosts, field),
    assertAllowedEndpoint: (url, field) => checkEndpointUrl(url, allowedPrivateHosts, field),
  };
}
