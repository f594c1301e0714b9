import type { LookupFunction } from 'node:net';
import { type AllowedHost, isAllowedHost } from './allowed-hosts.ts';
import { systemResolve, type Resolve, checkedLookup } from './checked-lookup.ts';
import { download, type Download, type DownloadOptions } from './download.ts';
import { exchange, type Exchange, type ExchangeOptions } from './exchange.ts';
import type { FetchPolicy, FetchTimeouts } from './hop.ts';
import { send, type PostAnswer, type PostOptions } from './post.ts';
import { checkEndpointUrl, checkUrl } from './url-policy.ts';
import { withoutHost, assertNotWithheld } from './withheld-host.ts';
import { currentTraceHeaders, inSpan, markFailed, type SpanOptions } from '../tracing/span.ts';

export type { Download, DownloadOptions, Exchange, ExchangeOptions, PostAnswer, PostOptions };

const TIMEOUTS: FetchTimeouts = { connectMs: 10_000, headersMs: 30_000, bodyIdleMs: 30_000 };

/**
 * The only client for addresses from callers. It reaches only the public internet and the hosts that the operator
 * allows. The rules apply to the address as written, to every address from DNS (the connection uses exactly the
 * checked address) and to every redirect. Each request has a new connection.
 *
 * It throws a `Failure`, or the reason of the caller's own signal. `retryable` of the failure says whether a later
 * request may succeed (network, 5xx, 408, 425, 429).
 */
export interface SafeFetch {
  /**
   * Downloads a file; follows up to five redirects.
   * @throws Failure URL_NOT_ALLOWED, URL_FETCH_FAILED, FILE_TOO_LARGE
   */
  download(url: string, options: DownloadOptions): Promise<Download>;
  /**
   * Posts a text and returns any status. Redirects are not followed.
   * @throws Failure URL_NOT_ALLOWED; URL_FETCH_FAILED without a response
   */
  post(url: string, options: PostOptions): Promise<PostAnswer>;
  /** Puts a file to an address that may be signed, as `post` does. */
  put(url: string, options: PostOptions): Promise<PostAnswer>;
  /**
   * Sends a text or a stream and reads the complete response of any status. Redirects are not followed. Without a
   * complete response, the result says whether the server may have received the request.
   * @throws only the reason of the caller's own signal
   */
  exchange(url: string, options: ExchangeOptions): Promise<Exchange>;
  /**
   * Checks an address without DNS, so that the gateway can refuse it before work starts.
   * @param field the input field of the address, for the error
   * @throws Failure URL_NOT_ALLOWED
   */
  assertAllowedUrl(url: string, field?: string): void;
  /**
   * Checks the endpoint of a client that opens its connections itself.
   * @returns the lookup for these connections, which checks every address from DNS
   * @throws Failure URL_NOT_ALLOWED with field `endpoint`
   */
  checkConnection(endpoint: string): Promise<LookupFunction>;
  /** Checks a stored address like `assertAllowedUrl`. It must also be https, unless the operator allows its host. */
  assertAllowedEndpoint(url: string, field?: string): void;
}

export interface SafeFetchDeps {
  allowedPrivateHosts: readonly AllowedHost[];
  /** A host that is refused although the list contains it: the hosted service, for addresses of callers */
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
    // `download` and `put` send no headers of a trace, because a file's address may be signed for an exact request.
    download: (url, options) => inSpan('GET', clientSpan('GET'), () => download(url, options, policy)),
    post: (url, options) => traced('POST', options, (own) => send('POST', url, own, policy, now)),
    put: (url, options) => inSpan('PUT', clientSpan('PUT'), () => send('PUT', url, options, policy, now)),
    exchange: (url, options) => traced(options.method, options, (own) => exchange(url, own, policy, now)),
    checkConnection: (endpoint) => checkConnection(endpoint, policy),
    assertAllowedUrl: (url, field) => void checkUrl(url, allowedPrivateHosts, field),
    assertAllowedEndpoint: (url, field) => checkEndpointUrl(url, allowedPrivateHosts, field),
  };
}

/** Neither host nor path: both belong to a caller, and paths may contain tokens. */
const clientSpan = (method: string): SpanOptions => ({
  kind: 'CLIENT',
  attributes: { 'http.request.method': method },
});

/**
 * Sends a request in a span, which is the parent of the receiver's spans. The receiver gets no `tracestate`: a caller of Burnish
 * writes it for its own systems, and not for those of an account.
 */
function traced<Options extends PostOptions | ExchangeOptions, Answer extends PostAnswer | Exchange>(
  method: string,
  options: Options,
  send: (options: Options) => Promise<Answer>,
): Promise<Answer> {
  return inSpan(method, clientSpan(method), async (span) => {
    const { traceparent } = currentTraceHeaders();
    const headers = { ...options.headers, ...(traceparent !== undefined && { traceparent }) };
    const answer = await send({ ...options, headers });
    if ('status' in answer) span.setAttribute('http.response.status_code', answer.status);
    else markFailed(span, answer.failure);
    return answer;
  });
}

/**
 * Checks the endpoint of a client that opens connections itself, such as that of S3.
 * @returns the lookup for its connections, which refuses private addresses
 * @throws Failure URL_NOT_ALLOWED
 */
async function checkConnection(
  endpoint: string,
  { allowedPrivateHosts, withheld, resolve }: Pick<FetchPolicy, 'allowedPrivateHosts' | 'withheld' | 'resolve'>,
): Promise<LookupFunction> {
  checkEndpointUrl(endpoint, allowedPrivateHosts, 'endpoint');
  const url = checkUrl(endpoint, allowedPrivateHosts, 'endpoint');
  const isAllowed = isAllowedHost(url, allowedPrivateHosts);
  if (isAllowed) await assertNotWithheld(url, withheld, resolve);
  return checkedLookup(resolve, isAllowed);
}
