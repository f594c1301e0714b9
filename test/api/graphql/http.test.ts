import { describe, expect, test } from '@jest/globals';
import { testGateway, useGateway } from '../support/gateway.ts';
import { graphql, refusal } from './support.ts';

const gateway = useGateway();

const CREDITS = '{ credits { remainingCreditsThisPeriod } }';
const RESPONSE_JSON = { Accept: 'application/graphql-response+json' };

describe('a missing or wrong key', () => {
  test.each([
    ['missing', null],
    ['wrong', 'bk_wrong'],
  ])('that is %s is an error in a GraphQL answer of status 200 for clients of the contract', async (_what, key) => {
    const answer = await graphql(gateway, CREDITS, { key });
    expect([answer.status, refusal(answer), answer.data]).toEqual([200, ['UNAUTHENTICATED', undefined], undefined]);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('gets 401 if the client accepts application/graphql-response+json', async () => {
    const answer = await graphql(gateway, CREDITS, { key: null, headers: RESPONSE_JSON });
    expect([answer.status, refusal(answer)]).toEqual([401, ['UNAUTHENTICATED', undefined]]);
    expect(answer.headers.get('content-type')).toContain('application/graphql-response+json');
    expect(answer.headers.get('www-authenticate')).toContain('x-api-key');
  });

  test('prevents reading the schema', async () => {
    const answer = await graphql(gateway, '{ __schema { types { name } } }', { key: null });
    expect(refusal(answer)).toEqual(['UNAUTHENTICATED', undefined]);
  });
});

describe('a valid key', () => {
  test('is confirmed by the query for credits', async () => {
    const answer = await graphql(gateway, CREDITS);
    expect([answer.status, answer.errors, answer.data]).toEqual([
      200,
      undefined,
      { credits: { remainingCreditsThisPeriod: 100 } },
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('reads the schema', async () => {
    const { data } = await graphql(gateway, '{ __type(name: "Upload") { description } }');
    expect(data.__type.description).toMatch(/file/);
  });
});

describe('GraphQL errors', () => {
  test('of a record have status 200 and partial data for both media types', async () => {
    const query = `{ upload(id: "upl_${'0'.repeat(26)}") { id } credits { usedCreditsThisPeriod } }`;
    for (const headers of [{}, RESPONSE_JSON]) {
      const answer = await graphql(gateway, query, { headers });
      expect([answer.status, refusal(answer), answer.errors![0]!.path]).toEqual([
        200,
        ['NOT_FOUND', undefined],
        ['upload'],
      ]);
      expect(answer.data).toEqual({ upload: null, credits: { usedCreditsThisPeriod: 0 } });
    }
  });

  test('of a document have status 200 for application/json and 400 for application/graphql-response+json', async () => {
    const statuses = [];
    for (const headers of [{}, RESPONSE_JSON]) {
      const answer = await graphql(gateway, '{ nothing }', { headers });
      expect(refusal(answer)).toEqual(['BAD_USER_INPUT', undefined]);
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 400]);
  });

  test('include the remedy, the request id and whether a retry can help', async () => {
    const { errors, headers } = await graphql(gateway, '{ nothing }');
    expect(errors![0]!.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      remedy: expect.stringMatching(/^Use one of .*\bupload\b/),
      retryable: false,
      requestId: headers.get('x-request-id'),
    });
  });

  test('hide the details of unexpected errors and log them', async () => {
    await using broken = await testGateway({
      stores: {
        ledger: {
          balance: () => Promise.reject(new Error('relation "secret" at /srv/db.ts:12 select * from accounts')),
        } as never,
      },
    });
    const answer = await graphql(broken, CREDITS);
    expect([answer.status, refusal(answer), answer.errors![0]!.message]).toEqual([
      200,
      ['INTERNAL', undefined],
      'An internal error occurred.',
    ]);
    expect(JSON.stringify(answer)).not.toMatch(/secret|select|srv/);
    expect(broken.logged()).toContain('relation \\"secret\\"');
  });
});

describe('a body that is no GraphQL request', () => {
  const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>) =>
    gateway.fetch('/graphql', { method: 'POST', headers, body });

  test.each([
    [
      'a form, which any page could send',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'query={credits{periodEnd}}',
      415,
    ],
    ['plain text', { 'Content-Type': 'text/plain' }, JSON.stringify({ query: CREDITS }), 415],
    ['a multipart form', { 'Content-Type': 'multipart/form-data; boundary=x' }, '--x--', 415],
    ['a bare query', { 'Content-Type': 'application/graphql' }, CREDITS, 415],
    ['no type at all', { 'Content-Type': '' }, JSON.stringify({ query: CREDITS }), 415],
    ['broken JSON', { 'Content-Type': 'application/json' }, '{"query":', 400],
    ['a text', { 'Content-Type': 'application/json' }, '"{ credits }"', 400],
    ['a batch', { 'Content-Type': 'application/json' }, JSON.stringify([{ query: CREDITS }]), 400],
    ['an object without a query', { 'Content-Type': 'application/json' }, '{"variables":{}}', 400],
    ['a query that is no text', { 'Content-Type': 'application/json' }, '{"query":{"a":1}}', 400],
    [
      'a body over 256 kB',
      { 'Content-Type': 'application/json' },
      JSON.stringify({ query: `#${'x'.repeat(256_000)}` }),
      413,
    ],
  ] as const)('is refused: %s', async (_what, headers, body, status) => {
    const response = await post(headers, body);
    const { errors } = await response.json();
    const code = status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'BAD_USER_INPUT';
    expect([response.status, errors[0].extensions.code]).toEqual([status, code]);
  });

  test('is refused: variables that are no object', async () => {
    const response = await post(
      { 'Content-Type': 'application/json' },
      JSON.stringify({ query: CREDITS, variables: 'x' }),
    );
    expect((await response.json()).errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test.each(['GET', 'PUT', 'DELETE'])('is refused, so that a link cannot change data: %s', async (method) => {
    const response = await gateway.fetch(`/graphql?query=${encodeURIComponent(CREDITS)}`, { method });
    const { errors } = await response.json();
    expect([response.status, errors[0].extensions.code, response.headers.get('allow')]).toEqual([
      405,
      'BAD_USER_INPUT',
      'POST',
    ]);
  });

  test('of a page of another origin gets no CORS permission', async () => {
    const response = await gateway.fetch('/graphql', {
      method: 'OPTIONS',
      headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('rate limits', () => {
  test('count GraphQL and REST requests together, and return Retry-After', async () => {
    await using limited = await testGateway({ limits: { requestsPerAccount: 3 } });
    expect((await limited.fetch('/v1/credits')).headers.get('ratelimit')).toMatch(/^"account"; r=2;/);
    const counted = await graphql(limited, CREDITS);
    expect(counted.headers.get('ratelimit-policy')).toMatch(/^"account"; q=3;/);
    expect(counted.headers.get('ratelimit')).toMatch(/^"account"; r=1;/);
    await graphql(limited, CREDITS);
    const refused = await graphql(limited, CREDITS);
    expect([refused.status, refusal(refused)]).toEqual([200, ['RATE_LIMITED', undefined]]);
    const retryAfter = refused.errors![0]!.extensions.retryAfter!;
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused.headers.get('retry-after')).toBe(String(retryAfter));
    const strict = await graphql(limited, CREDITS, { headers: RESPONSE_JSON });
    expect(strict.status).toBe(429);
    expect((await limited.fetch('/v1/credits')).status).toBe(429);
  });

  test('count wrong keys by address', async () => {
    await using limited = await testGateway({ limits: { failedAuthentications: 1 } });
    await graphql(limited, CREDITS, { key: 'bk_guess1' });
    const refused = await graphql(limited, CREDITS, { key: 'bk_guess2' });
    expect(refusal(refused)).toEqual(['RATE_LIMITED', undefined]);
  });
});
