import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { isAllowedHost, type AllowedHost } from './allowed-hosts.ts';
import { checkedLookup, type Resolve } from './checked-lookup.ts';
import type { Deadline } from '../process/deadline.ts';
import { assertNotWithheld } from './withheld-host.ts';

const MAX_HEADER_BYTES = 16_384;

/** Timeouts of each stage of a request, in milliseconds. */
export interface FetchTimeouts {
  connectMs: number;
  headersMs: number;
  /** Between two chunks of the body */
  bodyIdleMs: number;
}

/** The allowed addresses, and the limits of a request. */
export interface FetchPolicy {
  allowedPrivateHosts: readonly AllowedHost[];
  /** Refused under any name, even if an allowed private host has the same address */
  withheld?: URL | undefined;
  resolve: Resolve;
  timeouts: FetchTimeouts;
}

export interface HopRequest {
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body?: string | Readable;
}

export interface Hop {
  status: number;
  /** The first value of a header, by its lower-case name */
  header(name: string): string | undefined;
  /** The received bytes, without decompression */
  body: Readable;
  /** Closes the connection; may be called repeatedly. */
  close(): void;
}

/**
 * Sends one request to one URL that `checkUrl` accepted, to a checked address on a new connection. The connection is
 * never reused, and redirects are not followed.
 * @throws errors of the network, see `asFetchFailure`; Failure URL_NOT_ALLOWED for the addresses from DNS
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
      // Set explicitly, so that no setting of the process disables it.
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
    // A reader of the body receives its error. Without a reader, the error must not end the process.
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

export function isPlain(hop: Hop): boolean {
  return /^(identity)?$/i.test((hop.header('content-encoding') ?? '').trim());
}
