import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch, type DownloadOptions, type SafeFetch, type SafeFetchDeps } from '../../src/net/safe-fetch.ts';

export const OPTIONS: DownloadOptions = { maxBytes: 1_000_000, timeoutMs: 20_000 };

export const fetchAllowing = (list: string, deps: Partial<SafeFetchDeps> = {}) =>
  createSafeFetch({ allowedPrivateHosts: parseAllowedHosts(list), ...deps });

export async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Downloads to the end; most troubles may show before the body or within it. */
export async function fetchAll(fetch: SafeFetch, url: string, options = OPTIONS): Promise<string> {
  return await text((await fetch.download(url, options)).body);
}

/** What a `Failure` of the network looks like. */
export const failing = (detail: string, retryable: boolean) => ({
  name: 'Failure',
  code: 'URL_FETCH_FAILED',
  message: detail,
  retryable,
});
