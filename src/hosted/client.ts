import { ClientError, GraphQLClient } from 'graphql-request';
import type { z } from 'zod';
import { Failure } from '@burnish/contract';
import { HOSTED_CALL_MS } from '../domain/temporal/timeouts.ts';
import { answerFailure } from './answer-failure.ts';
import { keyRefused, rejected, unavailable } from './call-failure.ts';
import type { Circuit } from './circuit.ts';

/** Sends a request. The caller passes the SSRF-safe HTTP client. */
export type Send = (
  url: string,
  request: {
    method: 'POST';
    body: string;
    headers: Record<string, string>;
    timeoutMs: number;
    maxAnswerBytes: number;
    signal?: AbortSignal;
  },
) => Promise<Sent>;

export type Sent =
  | { kind: 'answered'; status: number; answer: string; retryAfterMs: number | null }
  /** `sent` is false only if the request was certainly not sent */
  | { kind: 'broken'; sent: boolean; failure: { code: string; message: string } };

const MAX_ANSWER_BYTES = 2_000_000;

export interface HostedClientDeps {
  /** The service's URL, without a trailing slash and without `/graphql` */
  baseUrl: string;
  apiKey: string;
  send: Send;
  circuit: Circuit;
  timeoutMs?: number;
}

export interface CallOptions {
  variables?: Record<string, unknown>;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/**
 * One GraphQL call. Returns the given field of the response, parsed with its schema.
 * @throws CallFailure; the reason of the signal
 */
export type Call = <Schema extends z.ZodType>(
  document: string,
  field: string | null,
  schema: Schema,
  options?: CallOptions,
) => Promise<z.output<Schema>>;

/** The only caller of the hosted service. It adds the key, limits and circuit breaker, and classifies errors. */
export function createCall({ baseUrl, apiKey, send, circuit, timeoutMs = HOSTED_CALL_MS }: HostedClientDeps): Call {
  return (document, field, schema, { variables = {}, idempotencyKey, signal } = {}) =>
    circuit.run(async () => {
      const client = new GraphQLClient(`${baseUrl}/graphql`, {
        fetch: throughSend(send, { timeoutMs, ...(signal === undefined ? {} : { signal }) }),
        headers: {
          accept: 'application/json',
          'x-api-key': apiKey,
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
      });
      const data = await client.request<Record<string, unknown> | null>(document, variables).catch((error: unknown) => {
        signal?.throwIfAborted();
        const partly = dataBesideErrors(error);
        if (field !== null && partly?.[field]) return partly;
        throw asCallFailure(error, apiKey);
      });
      const value = field === null ? data : data?.[field];
      // A mutation with an unreadable answer may have been executed.
      const lost = { mayHaveActed: true, answered: true };
      if (value === null || value === undefined) throw unavailable('The hosted service answered without data.', lost);
      const parsed = schema.safeParse(value);
      if (parsed.success) return parsed.data;
      const path = parsed.error.issues[0]?.path.join('.').slice(0, 100) ?? '';
      throw unavailable(`The response of the hosted service is invalid: ${[field, path].join('.')}.`, lost);
    });
}

/** `fetch` for graphql-request, through the SSRF-safe client. */
function throughSend(send: Send, { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }): typeof fetch {
  return async (url, init) => {
    const sent = await send(String(url), {
      method: 'POST',
      body: String(init?.body),
      headers: Object.fromEntries(new Headers(init?.headers)),
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(signal === undefined ? {} : { signal }),
    });
    if (sent.kind === 'broken') {
      const { code, message } = sent.failure;
      if (code === 'URL_NOT_ALLOWED') {
        throw rejected(`The URL of the hosted service is not allowed: ${message} See BURNISH_HOSTED_PRIVATE_HOSTS.`);
      }
      throw unavailable(`The hosted service cannot be reached: ${message}`, { mayHaveActed: sent.sent });
    }
    const { status, answer, retryAfterMs } = sent;
    if (status === 401 || status === 403) throw keyRefused();
    // Response rejects a body with some statuses. They count as a response without data.
    const hasBody = status >= 200 && status <= 599 && ![204, 205, 304].includes(status);
    return new Response(hasBody ? answer : null, {
      status: hasBody ? status : 200,
      headers: {
        // Declares JSON. The parser detects any other body.
        'content-type': 'application/json',
        ...(retryAfterMs === null ? {} : { 'x-retry-after-ms': String(retryAfterMs) }),
      },
    });
  };
}

function dataBesideErrors(error: unknown): Record<string, unknown> | null | undefined {
  return error instanceof ClientError ? (error.response.data as Record<string, unknown> | null | undefined) : undefined;
}

/** graphql-request's error quotes request and response, so only the parts that are read here are passed on. */
function asCallFailure(error: unknown, apiKey: string): unknown {
  if (error instanceof Failure) return error;
  if (error instanceof ClientError) {
    const { status, errors, data } = error.response;
    const wait = (error.response.headers as Headers | undefined)?.get('x-retry-after-ms') ?? null;
    const body = { errors, data };
    return answerFailure({ status, body, retryAfterMs: wait === null ? null : Number(wait) }, apiKey);
  }
  return answerFailure({ status: 200, body: undefined, retryAfterMs: null }, apiKey);
}
