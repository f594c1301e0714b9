import type { TestGateway, TestResponse } from './gateway.ts';

export interface JsonRequest {
  body?: unknown;
  /** `Idempotency-Key` */
  once?: string;
  /** API key other than the default account's */
  key?: string | null;
}

/** Sends requests with JSON bodies, the usual form in the REST interface. They name the version of tus, which only `/v1/tus` reads. */
export function jsonRequests(gateway: () => TestGateway) {
  return function send(method: string, path: string, { body, once, key }: JsonRequest = {}): Promise<TestResponse> {
    const headers = new Headers({ 'Tus-Resumable': '1.0.0' });
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (once !== undefined) headers.set('Idempotency-Key', once);
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return gateway().fetch(path, key === undefined ? init : { ...init, key });
  };
}
