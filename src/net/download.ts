import { fileTooLarge } from '../domain/upload/check-file-size.ts';
import { startDeadline, type Deadline } from '../process/deadline.ts';
import { asFetchFailure, fetchFailure, isRetryableStatus } from './fetch-failure.ts';
import { isPlain, type FetchPolicy, type Hop, openHop } from './hop.ts';
import { checkUrl } from './url-policy.ts';
import { parse } from 'content-disposition';
import { sanitizeFilename } from '../domain/upload/filenames.ts';

export interface DownloadOptions {
  /** Inclusive; applies to `Content-Length` and to the received bytes */
  maxBytes: number;
  /** For the whole download, including redirects and the body */
  timeoutMs: number;
  signal?: AbortSignal;
  /** Sent to the first origin only */
  headers?: Record<string, string>;
}

export interface Download {
  finalUrl: string;
  /** 200 to 299 */
  status: number;
  /** Media type from the server, without parameters, in lower case; null without one. Untrusted. */
  contentType: string | null;
  filename: string;
  /** From `Content-Disposition` only, sanitized for display; null without one */
  declaredFilename: string | null;
  /** Readable once; throws the errors of `download`. An unread body keeps its connection open until the timeout. */
  body: AsyncIterable<Uint8Array>;
}

export async function download(href: string, options: DownloadOptions, policy: FetchPolicy): Promise<Download> {
  const { maxBytes, timeoutMs, signal, headers = {} } = options;
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const { url, hop } = await followRedirects(href, headers, policy, deadline);
    try {
      assertWanted(hop, maxBytes);
    } catch (error) {
      hop.close();
      throw error;
    }
    return {
      finalUrl: url.href,
      status: hop.status,
      contentType: hop.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null,
      declaredFilename: declaredFilename(hop.header('content-disposition')),
      filename: answerFilename(hop.header('content-disposition'), url),
      body: readBody(hop, deadline, options),
    };
  } catch (error) {
    deadline.clear();
    throw asFetchFailure(error, signal);
  }
}

function assertWanted(hop: Hop, maxBytes: number): void {
  if (hop.status < 200 || hop.status > 299) {
    throw fetchFailure(`The server answered with status ${hop.status}.`, isRetryableStatus(hop.status));
  }
  if (!isPlain(hop))
    throw fetchFailure('The server answered with a compressed body, although none was requested.', false);
  if (Number(hop.header('content-length') ?? 0) > maxBytes) throw fileTooLarge(maxBytes);
}

async function* readBody(
  hop: Hop,
  deadline: Deadline,
  { maxBytes, signal }: DownloadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let size = 0;
  try {
    for await (const chunk of hop.body as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw fileTooLarge(maxBytes);
      yield chunk;
    }
  } catch (error) {
    // The timeout closes the connection, and the resulting error may arrive before the timeout's own.
    throw asFetchFailure(deadline.signal.aborted ? deadline.signal.reason : error, signal);
  } finally {
    hop.close();
    deadline.clear();
  }
}

const MAX_REDIRECTS = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/**
 * Requests a URL and follows its redirects. Each redirect must pass the same rules as the first URL. The
 * caller's headers are sent to the first origin only.
 * @throws Failure URL_NOT_ALLOWED, URL_FETCH_FAILED; the errors of `openHop`
 */
async function followRedirects(
  href: string,
  headers: Record<string, string>,
  policy: FetchPolicy,
  deadline: Deadline,
): Promise<{ url: URL; hop: Hop }> {
  let url = checkUrl(href, policy.allowedPrivateHosts);
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

const MAX_HEADER_LENGTH = 2000;

export function answerFilename(contentDisposition: string | undefined, url: URL): string {
  return (
    declaredFilename(contentDisposition) ??
    sanitizeFilename(decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))) ??
    'file'
  );
}

/** The file name in `Content-Disposition`, sanitized for display; null without one. */
function declaredFilename(contentDisposition: string | undefined): string | null {
  return sanitizeFilename(declaredName(contentDisposition) ?? '') ?? null;
}

function declaredName(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  try {
    return parse(header).parameters['filename'];
  } catch {
    return undefined;
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
