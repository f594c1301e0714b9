import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CallFailure } from '../../src/hosted/call-failure.ts';
import { createCircuit } from '../../src/hosted/circuit.ts';
import { createCall, type Sent } from '../../src/hosted/client.ts';
import { createHostedApi } from '../../src/hosted/service.ts';

const API_KEY = 'key_very-secret-0123456789';
let requests: { url: string; headers: Record<string, string>; body: { query: string; variables: unknown } }[] = [];
let answers: (Sent | ((operation: string) => Sent))[] = [];

const answered = (body: unknown, status = 200, retryAfterMs: number | null = null): Sent => ({
  kind: 'answered',
  status,
  answer: typeof body === 'string' ? body : JSON.stringify(body),
  retryAfterMs,
});
const broken = (sent: boolean, code = 'URL_FETCH_FAILED', message = 'The connection was interrupted.'): Sent => ({
  kind: 'broken',
  sent,
  failure: { code, message },
});
const errors = (message: string, extensions?: object) => ({ data: null, errors: [{ message, extensions }] });

const service = createHostedApi(
  createCall({
    baseUrl: 'https://service.example.com',
    apiKey: API_KEY,
    circuit: createCircuit({ threshold: 1_000 }),
    async send(url, { body, headers }) {
      requests.push({ url, headers, body: JSON.parse(body) as (typeof requests)[number]['body'] });
      const next = answers.shift();
      if (next === undefined) throw new Error(`no answer for ${body}`);
      return typeof next === 'function' ? next(body) : next;
    },
  }),
);

beforeEach(() => {
  requests = [];
  answers = [];
});

function failing(answer: Sent): Promise<CallFailure> {
  answers = [answer];
  return service.createEnhancedImage('upl_1', { mode: 'ENHANCE' }, { idempotencyKey: 'enh_1' }).then(
    () => {
      throw new Error('no failure');
    },
    (error: CallFailure) => error,
  );
}

test('the hosted client sends extended parameters only to a service that supports them', async () => {
  const begun = answered({ data: { createEnhancedImage: { id: 'enh_9', status: 'QUEUED' } } });
  const asked = { mode: 'VIVID', engineTier: 'FAST' } as const;
  // If a service does not describe its schema, the client assumes the contract and nothing else.
  answers = [answered({ data: { upload: null, enhancedImage: null, parameters: null } }), begun];
  await service.createEnhancedImage('upl_1', asked, { idempotencyKey: 'enh_1' });
  expect(requests.at(-1)!.body.variables).toEqual({ uploadId: 'upl_1', input: { mode: 'VIVID' } });
});

test('the hosted client sends the key, the operation and an idempotency key', async () => {
  answers = [answered({ data: { createEnhancedImage: { id: 'enh_9', status: 'QUEUED', more: 1 } } })];
  const input = { mode: 'VIVID', upscalingFactor: 'X2' } as const;
  expect(await service.createEnhancedImage('upl_1', input, { idempotencyKey: 'enh_1' })).toMatchObject({ id: 'enh_9' });
  expect(requests).toMatchObject([
    {
      url: 'https://service.example.com/graphql',
      headers: { 'x-api-key': API_KEY, 'content-type': 'application/json', 'idempotency-key': 'enh_1' },
      body: {
        variables: { uploadId: 'upl_1', input },
        query: expect.stringContaining('createEnhancedImage(') as unknown as string,
      },
    },
  ]);
});

test('the hosted client accepts an answer that contains errors of records', async () => {
  const data = { createEnhancedImage: { id: 'enh_9', status: null } };
  answers = [answered({ data, errors: [{ message: 'status is away', path: ['createEnhancedImage', 'status'] }] })];
  expect(await service.createEnhancedImage('upl_1', {}, { idempotencyKey: 'enh_1' })).toMatchObject({ id: 'enh_9' });
});

describe('failures of the hosted service', () => {
  test.each([
    [answered(errors('nope', { code: 'UNAUTHENTICATED' }))],
    [answered(errors('nope', { code: 'FORBIDDEN' }))],
    [answered(errors('Invalid API key'))],
    [answered('', 401)],
    [answered({ message: 'who are you?' }, 403)],
  ])('ask the operator to correct a refused key (%#)', async (answer) => {
    const failure = await failing(answer);
    expect(failure).toMatchObject({ code: 'PROVIDER_REJECTED', retryable: false, mayHaveActed: false });
    expect(failure.message).toContain('BURNISH_HOSTED_API_KEY');
  });

  test.each([
    [answered('slow down', 429, 7_000), 7],
    [answered(errors('slow down', { code: 'RATE_LIMITED', retryAfter: 3 })), 3],
    [answered(errors('slow down', { code: 'RATE_LIMITED' }), 429), undefined],
  ])('contain the time to retry after a rate limit (%#)', async (answer, retryAfterSeconds) => {
    const failure = await failing(answer);
    expect(failure).toMatchObject({ code: 'RATE_LIMITED', retryable: true, mayHaveActed: false, retryAfterSeconds });
  });

  test.each([
    ['nothing was sent', broken(false), false],
    ['the connection broke', broken(true), true],
    ['500 without a word', answered('', 500), true],
    ['502 of something in between', answered('<html>', 502), true],
    ['503 that turned it away', answered('', 503, 5_000), false],
    ['503 without a word', answered('', 503), true],
    ['an answer cut off', answered('{"data":{"createEnh'), true],
    ['no JSON', answered('<html>'), true],
    ['no data', answered({ data: null }), true],
    ['no body', answered('', 204), true],
    ['no id', answered({ data: { createEnhancedImage: { status: 'QUEUED' } } }), true],
    ['an id that is none', answered({ data: { createEnhancedImage: { id: 'a b' } } }), true],
    ['an error of its own', answered(errors('oops', { code: 'INTERNAL' })), true],
  ])('%s: report an unavailable service, and whether it may have acted', async (_what, answer, mayHaveActed) => {
    expect(await failing(answer)).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true, mayHaveActed });
  });

  test.each([
    ['INSUFFICIENT_CREDITS', false],
    ['PDF_NOT_ANALYZED', false],
    ['NOT_FOUND', false],
    ['PROVIDER_UNAVAILABLE', true],
  ])('keep a known code: %s', async (code, retryable) => {
    expect(await failing(answered(errors('because', { code })))).toMatchObject({
      code,
      retryable,
      mayHaveActed: false,
      message: 'The hosted service reported: because',
    });
  });

  test('report any other refusal with a short message without secrets', async () => {
    const message = `No\u0007 ${API_KEY} https://files.example.com/x?token=secret ${'x'.repeat(1_000)}`;
    const failure = await failing(answered(errors(message, { code: 'SOMETHING' }), 400));
    expect(failure).toMatchObject({ code: 'PROVIDER_REJECTED', retryable: false, mayHaveActed: false });
    expect(failure.message).toMatch(/^The hosted service reported: No … <address> x+…$/);
    expect(failure.message.length).toBeLessThan(400);
  });

  test('name the setting of a forbidden address', async () => {
    const failure = await failing(broken(false, 'URL_NOT_ALLOWED', 'The URL leads to a private network.'));
    expect(failure).toMatchObject({ code: 'PROVIDER_REJECTED', retryable: false });
    expect(failure.message).toContain('BURNISH_HOSTED_PRIVATE_HOSTS');
  });
});

test('never contain the key, even if the service quotes it', async () => {
  const quoting = [answered(`"${API_KEY}"`), answered(errors(`key ${API_KEY} is nice`)), answered(API_KEY, 500)];
  for (const answer of quoting) {
    const { message, stack = '', cause } = await failing(answer);
    expect(`${message}${stack}${JSON.stringify(cause)}`).not.toContain(API_KEY);
  }
});

describe('the list of fields beyond the contract', () => {
  const types = (upload: string[], enhancedImage: string[], parameters: string[] = [], pdfOptions: string[] = []) =>
    answered({
      data: Object.fromEntries(
        Object.entries({ upload, enhancedImage, parameters, pdfOptions }).map(([name, fields]) => [
          name,
          fields.length === 0 ? null : { fields: fields.map((each) => ({ name: each })) },
        ]),
      ),
    });
  const fresh = () =>
    createHostedApi(
      createCall({
        baseUrl: 'https://service.example.com',
        apiKey: API_KEY,
        circuit: createCircuit(),
        async send(url, { body, headers }) {
          requests.push({ url, headers, body: JSON.parse(body) as (typeof requests)[number]['body'] });
          return answers.shift() as Sent;
        },
      }),
    );
  const upload = answered({ data: { upload: { id: 'upl_1', status: 'UPLOAD_FINISHED' } } });

  test('is requested once and then reused', async () => {
    const remote = fresh();
    answers = [types(['id', 'errorCode'], ['id']), upload, upload];
    await remote.upload('upl_1');
    await remote.upload('upl_1');
    expect(requests).toHaveLength(3);
    expect(requests[1]!.body.query).toContain('errorCode');
    expect(await remote.listEnhancements('upl_1')).toBeNull();
  });

  const ASKED = { targetResolution: 300, compact: true, hiddenLayers: true } as const;
  const begun = answered({ data: { createEnhancedImage: { id: 'enh_9', status: 'QUEUED' } } });

  test.each([
    ['has', ['compact'], { targetResolution: 300, pdf: { compact: true } }],
    ['lacks', [], { targetResolution: 300 }],
  ])('%s options of PDFs, and gets those alone', async (_has, pdfOptions, input) => {
    answers = [types(['id'], ['id'], ['targetResolution', 'pdf'], pdfOptions), begun];
    await fresh().createEnhancedImage('upl_1', ASKED, { idempotencyKey: 'enh_1' });
    expect(requests.at(-1)!.body.variables).toEqual({ uploadId: 'upl_1', input });
  });

  test.each([
    ['has', ['compact'], 'parameters { mode pdf { compact } }'],
    ['lacks', [], 'parameters { mode }'],
  ])('%s options of PDFs, and is asked for those alone', async (_has, pdfOptions, selection) => {
    const listed = answered({ data: { upload: { enhancedImages: [] } } });
    answers = [types(['enhancedImages'], ['parameters'], ['mode', 'pdf'], pdfOptions), listed];
    await fresh().listEnhancements('upl_1');
    expect(requests.at(-1)!.body.query.replaceAll(/\s+/g, ' ')).toContain(selection);
  });

  test('is empty if the service does not describe itself', async () => {
    const remote = fresh();
    answers = [answered(errors('introspection is off', { code: 'BAD_USER_INPUT' })), upload, upload];
    await remote.upload('upl_1');
    await remote.upload('upl_1');
    expect(requests).toHaveLength(3);
    expect(requests[2]!.body.query).not.toContain('errorCode');
  });

  test('is requested again after no answer', async () => {
    const remote = fresh();
    answers = [broken(false), upload, types(['id', 'errorCode'], ['id']), upload];
    await remote.upload('upl_1');
    await remote.upload('upl_1');
    expect(requests[3]!.body.query).toContain('errorCode');
  });
});
