import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { isAllowedHost } from './allowed-hosts.ts';
import type { AllowedHost } from './allowed-hosts.ts';
import { checkedLookup } from './checked-lookup.ts';
import type { Resolve } from './checked-lookup.ts';
import type { Deadline } from './deadline.ts';
import { assertNotWithheld } from './withheld-host.ts';

const MAX_HEADER_BYTES = 16_384;

/** How long each stage of a request may take within the whole, in milliseconds. */
export interface FetchTimeouts {
  connectMs: number;
  /** From the request to the end of the answer's headers */
  headersMs: number;
  /** Between two pieces of the body */
  bodyIdleMs: number;
}

/** The addresses that may be reached, and the limits of a request. */
export interface FetchPolicy {
  allowedPrivateHosts: readonly AllowedHost[];
  /** Not to be reached under any name, although a private host may be allowed that shares its address */
  withheld?: URL | undefined;
  resolve: Resolve;
  timeouts: FetchTimeouts;
}

export interface HopRequest {
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body?: string | Readable;
}

/** One answer of one server. */
export interface Hop {
  status: number;
  /** The first value of a header, by its lower-case name */
  header(name: string): string | undefined;
  /** Bytes as they came: nothing is decompressed */
  body: Readable;
  /** Ends the connection; any number of times. */
  close(): void;
}

/**
 * One request to one URL that `checkUrl` has let through, on a connection of its own that is never used again, to an
 * address that has been checked. Redirects are not followed.
 * @throws whatever the network throws, see `asFetchFailure`; Failure URL_NOT_ALLOWED for what DNS answers
 */
export async function openHop(url: URL, sent: HopRequest, policy: FetchPolicy, deadline: Deadline): Promise<Hop> {
  const { connectMs, headersMs, bodyIdleMs } = policy.timeouts;
  const isAllowed = isAllowedHost(url, policy.allowedPrivateHosts);
  if (isAllowed) await deadline.race(assertNotWithheld(url, policy.withheld, policy.resolve));
  const agent = new Agent({
    connections: 1,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersMs,
    bodyTimeout: bodyIdleMs,
    connect: {
      lookup: checkedLookup(policy.resolve, isAllowed),
      timeout: connectMs,
      // Said aloud, so that no setting of the process switches it off.
      rejectUnauthorized: true,
    },
  });
  const close = (): void => {
    deadline.signal.removeEventListener('abort', close);
    agent.destroy().catch(() => undefined);
  };
  deadline.signal.addEventListener('abort', close);

  try {
    const answer = await deadline.race(
      request(url, {
        dispatcher: agent,
        method: sent.method,
        headers: { 'user-agent': 'burnish', ...sent.headers, 'accept-encoding': 'identity' },
        body: sent.body ?? null,
        signal: deadline.signal,
      }),
    );
    // A reader of the body gets its error. Without a reader, the error must not end the process.
    answer.body.on('error', () => undefined);
    return {
      status: answer.statusCode,
      header: (name) => [answer.headers[name]].flat()[0],
      body: answer.body,
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Whether the body is what it says, byte for byte: a compressed one could grow without bound. */
export function isPlain(hop: Hop): boolean {
  return /^(identity)?$/i.test((hop.header('content-encoding') ?? '').trim());
}
