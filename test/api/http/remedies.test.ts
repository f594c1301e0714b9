import { beforeAll, describe, expect, test } from '@jest/globals';
import { FAILURES, type FailureCode } from '@burnish/contract';
import { graphql } from '../graphql/support.ts';
import { jpeg } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
let upload: { id: string };
const send = jsonRequests(() => gateway);

beforeAll(async () => {
  upload = await storedUpload(gateway);
});

const UNKNOWN = `upl_${'7'.repeat(26)}`;
const order = (enhancement: unknown) => () =>
  send('POST', `/v1/uploads/${upload.id}/enhancements`, { body: { enhancements: [enhancement] } });

type Refusal = [request: () => Promise<TestResponse>, code: FailureCode, detail: string, remedy: string | undefined];

/** Refusals over REST. Without a remedy of the case, the remedy is that of the code. */
const CASES: Record<string, Refusal> = {
  'an unknown upload': [
    () => send('GET', `/v1/uploads/${UNKNOWN}`),
    'NOT_FOUND',
    FAILURES.NOT_FOUND.sentence,
    undefined,
  ],
  'an unknown path': [
    () => send('GET', '/v1/nothing'),
    'NOT_FOUND',
    'No operation has this path.',
    'Choose one that /docs lists.',
  ],
  'a path that ends with a slash': [
    () => send('GET', '/v1/uploads/'),
    'NOT_FOUND',
    'No operation has this path.',
    'Choose one that /docs lists.',
  ],
  'a command whose path ends with a slash': [
    () => send('POST', `/v1/uploads/${upload.id}/enhancements/`, { body: {} }),
    'NOT_FOUND',
    'No operation has this path.',
    'Choose one that /docs lists.',
  ],
  'an unknown key': [
    () => send('GET', '/v1/credits', { key: `bk_${'x'.repeat(43)}` }),
    'UNAUTHENTICATED',
    FAILURES.UNAUTHENTICATED.sentence,
    undefined,
  ],
  'a key of an account as that of the operator': [
    () => send('GET', '/v1/operator/accounts'),
    'UNAUTHENTICATED',
    "This operation needs the operator's key, and no key of an account.",
    'Send it in the header x-api-key.',
  ],
  'a parameter that does not fit another': [
    order({ fidelity: 'STRICT' }),
    'BAD_USER_INPUT',
    'fidelity STRICT applies to enlargements.',
    'Set upscalingFactor to X2 or X4.',
  ],
  'a tier that may invent detail, for a faithful result': [
    order({ fidelity: 'STRICT', upscalingFactor: 'X2', engineTier: 'DETAIL' }),
    'BAD_USER_INPUT',
    'engineTier DETAIL may invent detail, which fidelity STRICT does not allow.',
    'Choose AUTO, FINE, FAST or PLAIN.',
  ],
  'an unknown field': [
    order({ colour: 1 }),
    'BAD_USER_INPUT',
    'Unknown field enhancements[0].colour.',
    expect.stringMatching(/^Remove it, or use one of mode, upscalingFactor,/) as unknown as string,
  ],
  'JSON under another type': [
    () =>
      gateway.fetch('/v1/settings', { method: 'PATCH', body: '{}', headers: { 'Content-Type': 'text/plain; a=b' } }),
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type text/plain; a=b is not supported here.',
    'Send JSON with the header Content-Type: application/json.',
  ],
  'a body of another type': [
    () => gateway.fetch('/v1/uploads', { method: 'POST', body: 'x', headers: { 'Content-Type': 'text/plain' } }),
    'UNSUPPORTED_MEDIA_TYPE',
    'The Content-Type is not supported.',
    'Send application/json, multipart/form-data, or the file itself as an image, a PDF or application/octet-stream.',
  ],
  'a compressed body': [
    () =>
      gateway.fetch('/v1/settings', {
        method: 'PATCH',
        body: '{}',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      }),
    'UNSUPPORTED_MEDIA_TYPE',
    'The encoding of the body is not supported.',
    'Send it without Content-Encoding, as UTF-8.',
  ],
  'a private URL': [
    () => send('POST', '/v1/uploads', { body: { source: { url: 'http://127.0.0.1/a.jpg' } } }),
    'URL_NOT_ALLOWED',
    'The URL leads to a private network.',
    'Use a public URL, or ask the operator to add 127.0.0.1 to BURNISH_ALLOWED_PRIVATE_HOSTS.',
  ],
  'a file with another declared type': [
    async () =>
      await gateway.fetch('/v1/uploads', {
        method: 'POST',
        body: new Uint8Array(await jpeg()),
        headers: { 'Content-Type': 'image/png' },
      }),
    'UPLOAD_MISMATCH',
    'The file was declared as image/png, but its content is image/jpeg.',
    undefined,
  ],
};

describe('a problem over REST names the fault in `detail` and what to do in `remedy`, each once', () => {
  test.each(Object.keys(CASES))('%s', async (name) => {
    const [request, code, detail, remedy = FAILURES[code].remedy] = CASES[name]!;
    const response = await request();
    expect(response.status).toBe(FAILURES[code].httpStatus);
    expect(await response.json()).toMatchObject({ code, detail, remedy });
  });
});

test.each([
  ['{ fidelity: STRICT }', 'fidelity STRICT applies to enlargements.', 'Set upscalingFactor to X2 or X4.'],
  [
    '{ fidelity: STRICT, upscalingFactor: X4, engineTier: DETAIL }',
    'engineTier DETAIL may invent detail, which fidelity STRICT does not allow.',
    'Choose AUTO, FINE, FAST or PLAIN.',
  ],
])('an error over GraphQL has the same parts: %s', async (input, message, remedy) => {
  const { errors } = await graphql(
    gateway,
    `mutation { createEnhancedImage(uploadId: "${upload.id}", input: ${input}) { id } }`,
  );
  expect(errors).toMatchObject([
    {
      message,
      extensions: { code: 'BAD_USER_INPUT', remedy },
    },
  ]);
});
