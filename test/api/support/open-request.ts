import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestGateway } from './gateway.ts';

export interface OpenAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/**
 * Starts a request on a connection of its own, whose body the test sends.
 * @param headers with `x-api-key`, if other than that of the default account; an empty one for a request without a key
 */
export function openRequest(
  gateway: Pick<TestGateway, 'url' | 'key'>,
  path: string,
  headers: Record<string, string>,
  method = 'POST',
): [ClientRequest, Promise<OpenAnswer>] {
  const { 'x-api-key': key = gateway.key, ...others } = headers;
  const own = key === '' ? {} : { 'x-api-key': key };
  const sent = request(`${gateway.url}${path}`, { method, agent: false, headers: { ...own, ...others } });
  const answer = new Promise<OpenAnswer>((resolve, reject) => {
    sent.on('error', reject);
    sent.once('response', (response: IncomingMessage) => {
      text(response).then((body) => {
        const { statusCode, headers: received } = response;
        resolve({ status: statusCode!, headers: received, body: JSON.parse(body) as Record<string, unknown> });
      }, reject);
    });
  });
  answer.catch(() => undefined);
  return [sent, answer];
}
