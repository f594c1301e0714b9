import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { testGateway, type TestResponse } from '../support/gateway.ts';
import { useForFile } from '../../support/use-for.ts';

/** Every operation that needs a key, from the description: a new one is asked for its key here. */
const OPERATIONS = Object.entries(openApiDocument({ publicUrl: 'http://x', version: '1' }).paths!).flatMap(
  ([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => path.startsWith('/v1/') && operation.security === undefined)
      .map(([method, { responses }]) => [method.toUpperCase(), path, Object.keys(responses)] as const),
);
const GUESSES = 2 * OPERATIONS.length;

const gateway = useForFile(() => testGateway({ limits: { failedAuthentications: GUESSES } }));

const ask = (method: string, path: string, key: string | null) =>
  gateway.fetch(`${path.replace('{id}', 'no-id').replace('{number}', 'none')}?no-such=parameter`, {
    method,
    key,
    ...(['GET', 'HEAD', 'DELETE'].includes(method)
      ? {}
      : { body: 'no JSON', headers: { 'Content-Type': 'text/plain' } }),
  });

/** An answer to HEAD has no body. */
const codeIn = async (method: string, response: TestResponse): Promise<string | null> =>
  method === 'HEAD' ? null : (await response.json()).code;

describe('authentication', () => {
  test('is required for every operation under /v1', () => {
    expect(OPERATIONS.length).toBeGreaterThan(25);
    expect(OPERATIONS.filter(([, path]) => !path.startsWith('/v1/'))).toEqual([]);
  });

  test.each(OPERATIONS)('answers 401 before any other error: %s %s', async (method, path) => {
    for (const key of [null, 'bk_wrong']) {
      const response = await ask(method, path, key);
      expect([response.status, await codeIn(method, response)]).toEqual([
        401,
        method === 'HEAD' ? null : 'UNAUTHENTICATED',
      ]);
      expect(response.headers.get('www-authenticate')).toContain('x-api-key');
    }
  });

  test.each(OPERATIONS)(
    'answers the documented 429 to an address with too many failures: %s %s',
    async (method, path, statuses) => {
      expect(statuses).toEqual(expect.arrayContaining(['401', '429']));
      const response = await ask(method, path, 'bk_wrong');
      expect([response.status, await codeIn(method, response)]).toEqual([
        429,
        method === 'HEAD' ? null : 'RATE_LIMITED',
      ]);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  test('accepts a valid key from a blocked address', async () => {
    expect((await gateway.fetch('/v1/credits')).status).toBe(200);
  });
});
