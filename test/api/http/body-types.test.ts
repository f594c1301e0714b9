import { describe, expect, test } from '@jest/globals';
import { OPERATOR_KEY, useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { describedPaths } from '../../support/described-operations.ts';

const gateway = useGateway();

/** The operations that read JSON or no body, with a path whose parameters are well-formed. */
const JSON_OPERATIONS = Object.entries(describedPaths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => ['post', 'put', 'patch'].includes(method))
    // Without a key, files and events of others arrive.
    .filter(([, { security }]) => security === undefined)
    .filter(([, { requestBody }]) =>
      Object.keys(requestBody?.content ?? {}).every((type) => type === 'application/json'),
    )
    .map(([method, { parameters = [], responses }]) => {
      const example = (name: string): string => parameters.find((each) => each.name === name)!.schema.example!;
      const address = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => example(name));
      return { method: method.toUpperCase(), address, refusal: responses['415']?.description ?? '' };
    }),
);

describe('a body of another type is refused, and the description says so', () => {
  test.each(JSON_OPERATIONS)('by $method $address', async ({ method, address, refusal }) => {
    expect(refusal).toContain('`UNSUPPORTED_MEDIA_TYPE`');
    const key = address.startsWith('/v1/operator') ? { key: OPERATOR_KEY } : {};
    const headers = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'text/plain' };
    const response = await gateway.fetch(address, { method, headers, body: '{}', ...key });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', field: 'Content-Type' });
  });

  test('by the sign-in of the dashboard', async () => {
    const headers = { 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'same-origin' };
    const response = await gateway.fetch('/session', { method: 'POST', key: null, headers, body: '{}' });
    expect([response.status, (await response.json()).code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('a body is accepted', () => {
  test.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8'])('as %s', async (type) => {
    const headers = { 'Content-Type': type };
    const response = await gateway.fetch('/v1/settings', {
      method: 'PATCH',
      headers,
      body: '{"uploadRetentionDays":7}',
    });
    expect(response.status).toBe(200);
  });

  test('without a type, if it is empty', async () => {
    const send = jsonRequests(() => gateway);
    expect((await send('POST', `/v1/enhancements/enh_${'0'.repeat(26)}/cancel`)).status).toBe(404);
  });
});

test.each([
  ['text/plain', '{}', 'The Content-Type text/plain is not supported here.'],
  ['', '{}', 'The body has no Content-Type.'],
  ['application/jsonp', '{}', 'The Content-Type application/jsonp is not supported here.'],
])('the refusal of %p names it and the type to send', async (type, body, detail) => {
  const headers = { 'Content-Type': type };
  const response = await gateway.fetch('/v1/settings', {
    method: 'PATCH',
    headers,
    body: new TextEncoder().encode(body),
  });
  const remedy = 'Send JSON with the header Content-Type: application/json.';
  expect(await response.json()).toMatchObject({ status: 415, detail, remedy });
});
