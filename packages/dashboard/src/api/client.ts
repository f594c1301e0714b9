import { Burnish, BurnishError, type CallOptions } from '@burnish/client';

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Calls the listener when the session ends: the gateway refuses it, or the person signs out. */
export function onSignedOut(listener: Listener): void {
  signedOut.add(listener);
}

export function tellSignedOut(): void {
  for (const listener of signedOut) listener();
}

/**
 * The gateway of the page, with the cookie of the session. The gateway accepts a change with a cookie only if the header is present,
 * which a page of another origin cannot send.
 */
const gateway = {
  baseUrl: '',
  headers: { 'x-burnish-session': '1' },
  fetch: ((url, init) => fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' })) as typeof fetch,
};

/** A person sees a failure at once and decides about a retry. */
export const burnish = new Burnish({ ...gateway, maxRetries: 0 });

/** Sends files, and continues by itself after a lost connection. */
export const sender = new Burnish(gateway);

export type Call = Pick<CallOptions, 'signal' | 'idempotencyKey'> & { body?: unknown };

export const once = (): string => crypto.randomUUID();

/**
 * Calls the gateway.
 * @param path such as `/v1/uploads?limit=20`
 * @returns the JSON of the answer; undefined where it has none
 * @throws BurnishError with the refusal of the gateway, or if it cannot be reached; the reason of an aborted `signal`
 */
export async function call<Body>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, ...options }: Call = {},
): Promise<Body> {
  return await endSession(burnish.request<Body>(method, path, { ...options, json: body }));
}

/** Ends the session of the page when the gateway refuses it. */
export async function endSession<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BurnishError && error.status === 401) tellSignedOut();
    throw error;
  }
}

export const get = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('GET', path, options);
export const post = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('POST', path, options);
export const put = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('PUT', path, options);
export const patch = <Body>(path: string, options?: Call): Promise<Body> => call<Body>('PATCH', path, options);
export const remove = (path: string, options?: Call): Promise<void> => call<void>('DELETE', path, options);
