import { request } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { initialUpload } from '../../../src/domain/upload/new-upload.ts';
import { jpeg, pdf } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { poll } from '../../support/poll.ts';

const gateway = useGateway();
let photo: Buffer;
const UPLOAD = `upl_${'1'.repeat(26)}`;
const PDF_UPLOAD = `upl_${'2'.repeat(26)}`;
const ENHANCEMENT = `enh_${'1'.repeat(26)}`;
const FOREIGN_UPLOAD = `upl_${'9'.repeat(26)}`;
const FOREIGN_ENHANCEMENT = `enh_${'9'.repeat(26)}`;
const UNKNOWN = '7'.repeat(26);

beforeAll(async () => {
  photo = await jpeg();
  const { uploads, enhancements } = gateway.records;
  const at = '2026-01-01T00:00:00.000Z';
  const source = (mimetype: 'image/jpeg' | 'application/pdf') => ({
    kind: 'stored' as const,
    objectKey: 'acc/upl/original',
    file: { size: 30_000, sha256: 'ab'.repeat(32), mimetype },
  });
  const make = (id: string, accountId: string, mimetype: 'image/jpeg' | 'application/pdf' = 'image/jpeg') =>
    initialUpload({
      id,
      account: { id: accountId, retentionDays: 30 },
      source: source(mimetype),
      originalFilename: 'x',
      provider: 'local',
      webhookUrl: null,
      at,
    });
  const foreignId = `acc_${'0'.repeat(26)}`;
  for (const upload of [
    make(UPLOAD, gateway.account.id),
    make(PDF_UPLOAD, gateway.account.id, 'application/pdf'),
    make(FOREIGN_UPLOAD, foreignId),
  ]) {
    await uploads.project(upload);
  }
  const order = { parameters: {}, maxCredits: null, creditWaitMs: 0 };
  await enhancements.project(initialEnhancement({ id: ENHANCEMENT, ...order }, make(UPLOAD, gateway.account.id), at));
  await enhancements.project(
    initialEnhancement({ id: FOREIGN_ENHANCEMENT, ...order }, make(FOREIGN_UPLOAD, foreignId), at),
  );
});
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.updates.length = 0;
});

/** A refusal, and that it changed nothing. @returns its sentence about this case */
async function expectRefusal(response: TestResponse, status: number, code: string, field?: string): Promise<string> {
  const body = await response.json();
  expect([response.status, body.code, body.field]).toEqual([status, code, field]);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(body).toMatchObject({ status, requestId: response.headers.get('x-request-id') });
  expect(gateway.temporal.starts).toEqual([]);
  expect(gateway.temporal.updates).toEqual([]);
  expect(await gateway.records.stagedFiles.olderThan(-1000)).toEqual([]);
  return body.detail as string;
}

const source = { url: 'https://example.com/a.jpg' };
const ordered = (...enhancements: object[]): object => ({ source, enhancements });
const INPUT = 'BAD_USER_INPUT';

describe('POST /v1/uploads as JSON refuses', () => {
  const cases: [what: string, body: unknown, status: number, code: string, field?: string, detail?: string][] = [
    ['no source', {}, 400, INPUT, 'source'],
    ['null', null, 400, INPUT],
    ['a list', [], 400, INPUT],
    ['a source of another type', { source: 7 }, 400, INPUT, 'source'],
    ['no address', { source: {} }, 400, INPUT, 'source'],
    [
      'an address and a bucket',
      { source: { url: 'https://example.com/x', bucket: 'b', key: 'k' } },
      400,
      INPUT,
      'source',
    ],
    ['a bucket without a key', { source: { bucket: 'photos' } }, 400, INPUT, 'source'],
    ['an address that is none', { source: { url: 'photo.jpg' } }, 400, INPUT, 'source.url'],
    ['an address of another scheme', { source: { url: 'file:///etc/passwd' } }, 400, INPUT, 'source.url'],
    ['an address with a null byte', { source: { url: 'https://example.com/\0' } }, 400, INPUT, 'source.url'],
    ['a huge address', { source: { url: `https://example.com/${'a'.repeat(3000)}` } }, 400, INPUT, 'source.url'],
    ['an address that points inside', { source: { url: 'http://127.0.0.1/x' } }, 422, 'URL_NOT_ALLOWED', 'source.url'],
    [
      'an address that points inside in hexadecimal',
      { source: { url: 'http://0x7f.1/x' } },
      422,
      'URL_NOT_ALLOWED',
      'source.url',
    ],
    [
      'a webhook that points inside',
      { source, webhookUrl: 'http://169.254.169.254/' },
      422,
      'URL_NOT_ALLOWED',
      'webhookUrl',
    ],
    ['an unknown field', { source, colour: 1 }, 400, INPUT, 'colour'],
    ['an unknown nested field', { source: { ...source, path: '/' } }, 400, INPUT, 'source.path'],
    ['an unknown parameter', ordered({}, { mode: 'OFF', blur: 1 }), 400, INPUT, 'enhancements[1].blur'],
    ['__proto__', JSON.parse(`{"source":${JSON.stringify(source)},"__proto__":{"a":1}}`), 400, INPUT, '__proto__'],
    ['an unknown mode', ordered({ mode: 'LOUD' }), 400, INPUT, 'enhancements[0].mode'],
    ['a strength out of range', ordered({ sharpening: 1.01 }), 400, INPUT, 'enhancements[0].sharpening'],
    ['a number as text', { source, maxCredits: '5' }, 400, INPUT, 'maxCredits'],
    ['negative credits', { source, maxCredits: -1 }, 400, INPUT, 'maxCredits'],
    ['half a credit', { source, maxCredits: 0.5 }, 400, INPUT, 'maxCredits'],
    ['a wait of years', { source, creditWait: 1e9 }, 400, INPUT, 'creditWait'],
    ['a name with a null byte', { source, filename: 'a\0.jpg' }, 400, INPUT, 'filename'],
    ['a name with half a surrogate pair', { source, filename: 'a\ud800.jpg' }, 400, INPUT, 'filename'],
    ['a huge name', { source, filename: 'a'.repeat(256) }, 400, INPUT, 'filename'],
    ['too many enhancements', { source, enhancements: Array(21).fill({}) }, 400, INPUT, 'enhancements'],
    [
      'parameters of both kinds',
      ordered({ mode: 'ENHANCE', targetResolution: 300 }),
      400,
      INPUT,
      'enhancements[0].mode',
      'Value ENHANCE of field mode applies to images only, and field targetResolution to PDFs only.',
    ],
    [
      'colours beside mode DOCUMENT of a file without a type',
      ordered({ mode: 'DOCUMENT', customColorConfig: { brightness: 0.1 } }),
      400,
      INPUT,
      'enhancements[0].customColorConfig',
      'Mode DOCUMENT cleans pages and changes no other tone or colour.',
    ],
    ['the provider TEST without a test key', { source, provider: 'TEST' }, 400, INPUT, 'provider', 'Only a test key'],
    [
      'a resolution over the plan',
      ordered({ targetResolution: 601 }),
      422,
      'TARGET_RESOLUTION_EXCEEDS_PLAN',
      'enhancements[0].targetResolution',
    ],
  ];
  test.each(cases)('%s', async (_what, body, status, code, field = undefined, detail = '') => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const said = await expectRefusal(await gateway.fetch('/v1/uploads', init), status, code, field);
    expect(said).toContain(detail);
  });

  test.each([
    ['text that is no JSON', '{"source"', 400, 'The body is not valid JSON at line 1, column 10.'],
    ['a body above the limit', JSON.stringify({ source, filename: 'x'.repeat(300_000) }), 400, 'larger than the limit'],
  ])('%s', async (_what, body, status, detail) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
    expect(await expectRefusal(await gateway.fetch('/v1/uploads', init), status, INPUT)).toContain(detail);
  });

  test.each([[''], ['with space'], ['ü'], ['x'.repeat(256)]])('the Idempotency-Key %j', async (key) => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': Buffer.from(key).toString('latin1') };
    await expectRefusal(
      await gateway.fetch('/v1/uploads', { method: 'POST', headers, body: JSON.stringify({ source }) }),
      400,
      INPUT,
      'Idempotency-Key',
    );
  });
});

describe('POST /v1/uploads with a file refuses', () => {
  const raw = (body: Buffer, contentType = 'application/octet-stream', path = '/v1/uploads'): Promise<TestResponse> =>
    gateway.fetch(path, { method: 'POST', headers: { 'Content-Type': contentType }, body: new Uint8Array(body) });

  test('a text file that is declared as an image', async () => {
    await expectRefusal(await raw(Buffer.alloc(30_000, 'text '), 'image/jpeg'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
  test('a PDF whose header is late, and says which rule', async () => {
    const late = await raw(Buffer.from(`${'x'.repeat(1_500)}%PDF-1.7${' '.repeat(30_000)}`), 'application/pdf');
    expect(await expectRefusal(late, 415, 'UNSUPPORTED_MEDIA_TYPE')).toContain('The first 1,024 bytes');
  });
  test('an image that is declared with another type', async () => {
    await expectRefusal(await raw(photo, 'image/png'), 422, 'UPLOAD_MISMATCH');
  });
  test('an unknown content type', async () => {
    await expectRefusal(await raw(photo, 'text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
  test('an empty body', async () => {
    await expectRefusal(await raw(Buffer.alloc(0)), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
  test('an image below the minimum size, by its length and by its bytes', async () => {
    const small = photo.subarray(0, 19_999);
    await expectRefusal(await raw(small), 422, 'FILE_TOO_SMALL');
    const data = new FormData();
    data.set('file', new Blob([new Uint8Array(small)]), 'a.jpg');
    await expectRefusal(await gateway.fetch('/v1/uploads', { method: 'POST', body: data }), 422, 'FILE_TOO_SMALL');
  });
  test('an image above the maximum by its declared length, before its bytes arrive', async () => {
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { 'x-api-key': gateway.key, 'Content-Type': 'image/jpeg', 'Content-Length': 50_000_001 };
      const req = request(`${gateway.url}/v1/uploads`, { method: 'POST', headers }, (res) => resolve(res.statusCode!));
      req.on('error', reject);
      req.write(photo);
    });
    expect(status).toBe(413);
    expect(await gateway.records.stagedFiles.olderThan(-1000)).toEqual([]);
  });
  test('an image above the maximum by its bytes', async () => {
    const stream = new Blob([new Uint8Array(photo), new Uint8Array(50_000_001 - photo.byteLength)]).stream();
    const init = {
      method: 'POST',
      headers: { 'Content-Type': 'image/jpeg' },
      body: stream,
      duplex: 'half',
    } as RequestInit;
    await expectRefusal(await gateway.fetch('/v1/uploads', init), 413, 'FILE_TOO_LARGE');
  });
  test('parameters of a PDF for an image, and of an image for a PDF', async () => {
    const query = (parameters: unknown): string =>
      `/v1/uploads?${new URLSearchParams({ enhancements: JSON.stringify([parameters]) })}`;
    await expectRefusal(
      await raw(photo, 'image/jpeg', query({ targetResolution: 300 })),
      400,
      INPUT,
      'enhancements[0].targetResolution',
    );
    await expectRefusal(
      await raw(pdf(), 'application/pdf', query({ mode: 'OFF' })),
      400,
      INPUT,
      'enhancements[0].mode',
    );
  });
  test.each([
    ['maxCredits=five', 'maxCredits'],
    ['maxCredits=1&maxCredits=2', 'maxCredits'],
    ['creditWait=1e3', 'creditWait'],
    ['enhancements={', 'enhancements'],
    ['enhancements={}', 'enhancements'],
    ['colour=1', 'colour'],
    ['filename=%00', 'filename'],
  ])('the query %s', async (query, field) => {
    await expectRefusal(await raw(photo, 'image/jpeg', `/v1/uploads?${query}`), 400, INPUT, field);
  });

  const file = (): Blob => new Blob([new Uint8Array(photo)]);
  test.each<[string, (data: FormData) => void, string]>([
    ['no file', (data) => data.set('filename', 'x.jpg'), 'file'],
    ['two files', (data) => (data.append('file', file(), 'a'), data.append('file', file(), 'b')), 'file'],
    ['a file of another name', (data) => data.set('image', file(), 'a'), 'image'],
    ['an unknown field behind the file', (data) => (data.set('file', file(), 'a'), data.set('colour', '1')), 'colour'],
    [
      'a field twice',
      (data) => (data.append('maxCredits', '1'), data.append('maxCredits', '2'), data.set('file', file(), 'a')),
      'maxCredits',
    ],
    [
      'a huge field',
      (data) => (data.set('enhancements', '['.repeat(70_000)), data.set('file', file(), 'a')),
      'enhancements',
    ],
    ['a huge file name', (data) => data.set('file', file(), 'a'.repeat(300)), 'filename'],
  ])('a form with %s', async (_what, fill, field) => {
    const data = new FormData();
    fill(data);
    await expectRefusal(await gateway.fetch('/v1/uploads', { method: 'POST', body: data }), 400, INPUT, field);
  });

  test('a form with a null byte in its file name', async () => {
    const data = new FormData();
    data.set('file', file(), 'a\0.jpg');
    await expectRefusal(await gateway.fetch('/v1/uploads', { method: 'POST', body: data }), 400, INPUT);
  });

  test('a hundred forms at once, and keeps no file of them beside a good one', async () => {
    const send = (name: string): Promise<TestResponse> => {
      const data = new FormData();
      data.set('file', file(), name);
      return gateway.fetch('/v1/uploads', { method: 'POST', body: data });
    };
    const refused = Array.from({ length: 100 }, () => send('a'.repeat(300)));
    const good = await send('calm.jpg');
    const statuses = (await Promise.all(refused)).map(({ status }) => status);
    expect(statuses).toEqual(refused.map(() => 400));
    expect([201, 202]).toContain(good.status);
    expect(gateway.temporal.starts).toHaveLength(1);
    expect(await gateway.records.stagedFiles.olderThan(-1000)).toEqual([]);
  });

  test('a form that ends early', async () => {
    const body =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n' + photo.toString('latin1');
    await expectRefusal(await raw(Buffer.from(body, 'latin1'), 'multipart/form-data; boundary=b'), 400, INPUT);
    await expectRefusal(await raw(photo, 'multipart/form-data'), 400, INPUT);
  });

  test('an upload whose client disconnects, and keeps nothing of it', async () => {
    const gone = new Promise<void>((resolve) => {
      const headers = { 'x-api-key': gateway.key, 'Content-Type': 'image/jpeg', 'Content-Length': 1_000_000 };
      const req = request(`${gateway.url}/v1/uploads`, { method: 'POST', headers });
      req.on('error', () => resolve());
      req.write(photo);
      const wait = setInterval(() => {
        void gateway.records.stagedFiles.olderThan(-1000).then((rows) => {
          if (rows.length === 0) return;
          clearInterval(wait);
          req.destroy(new Error('gone'));
        });
      }, 20);
    });
    await gone;
    await poll(() => gateway.records.stagedFiles.olderThan(-1000)).toEqual([]);
    expect(gateway.temporal.starts).toEqual([]);
  });
});

describe('malformed, unknown and foreign ids', () => {
  const operations: [method: string, path: (id: string) => string, prefix: 'upl' | 'enh'][] = [
    ['GET', (id) => `/v1/uploads/${id}`, 'upl'],
    ['DELETE', (id) => `/v1/uploads/${id}`, 'upl'],
    ['GET', (id) => `/v1/uploads/${id}/events`, 'upl'],
    ['POST', (id) => `/v1/uploads/${id}/enhancements`, 'upl'],
    ['POST', (id) => `/v1/uploads/${id}/analyze`, 'upl'],
    ['GET', (id) => `/v1/enhancements/${id}`, 'enh'],
    ['POST', (id) => `/v1/enhancements/${id}/approve`, 'enh'],
    ['POST', (id) => `/v1/enhancements/${id}/reject`, 'enh'],
    ['POST', (id) => `/v1/enhancements/${id}/cancel`, 'enh'],
  ];
  const bodyOf = (path: string) => (path.endsWith('/enhancements') ? '{"enhancements":[{}]}' : '{}');
  test.each(operations)('get the same answer from %s %s', async (method, path, prefix) => {
    const foreign = prefix === 'upl' ? FOREIGN_UPLOAD : FOREIGN_ENHANCEMENT;
    const answers: unknown[] = [];
    for (const id of [`${prefix}_${UNKNOWN}`, foreign, '%00', 'a'.repeat(3000), '%F0%9F%92%A9', "'%20or%201=1--"]) {
      const init =
        method === 'POST'
          ? { method, headers: { 'Content-Type': 'application/json' }, body: bodyOf(path('')) }
          : { method };
      const response = await gateway.fetch(path(id), init);
      const { requestId: _id, ...body } = (await response.clone().json()) as { requestId: string };
      answers.push(body);
      await expectRefusal(response, 404, 'NOT_FOUND');
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });
});

describe('commands refuse', () => {
  const post = (path: string, body: unknown): Promise<TestResponse> =>
    gateway.fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });

  test.each(['approve', 'reject', 'cancel'])('%s with an unexpected body', async (command) => {
    const refused = await post(`/v1/enhancements/${ENHANCEMENT}/${command}`, { reason: 'x' });
    await expectRefusal(refused, 400, INPUT, 'reason');
  });
});

describe('reads refuse', () => {
  test.each([
    ['/v1/uploads?limit=0', 'limit'],
    ['/v1/uploads?limit=101', 'limit'],
    ['/v1/uploads?limit=ten', 'limit'],
    ['/v1/uploads?include=everything', 'include'],
    ['/v1/uploads?after=nowhere', 'after'],
    ['/v1/uploads?after=%00', 'after'],
    [`/v1/uploads?after=${'a'.repeat(600)}`, 'after'],
    ['/v1/uploads?status=GONE', 'status'],
    ['/v1/uploads?sort=name', 'sort'],
    ['/v1/enhancements?limit=-1', 'limit'],
    ['/v1/credits?account=acc_1', 'account'],
    [`/v1/uploads/${UPLOAD}?full=1`, 'full'],
    [`/v1/uploads/${UPLOAD}/events?until=tomorrow`, 'until'],
  ])('%s', async (path, field) => {
    await expectRefusal(await gateway.fetch(path), 400, INPUT, field);
  });
  test('a malformed Last-Event-ID', async () => {
    const response = await gateway.fetch(`/v1/uploads/${UPLOAD}/events`, { headers: { 'Last-Event-ID': '-1' } });
    await expectRefusal(response, 400, INPUT, 'Last-Event-ID');
  });
  test.each(['/v1/nothing', '/nothing', '/v1/uploads/x/y/z'])('the address %s', async (path) => {
    await expectRefusal(await gateway.fetch(path), 404, 'NOT_FOUND');
  });
});

describe('API keys', () => {
  test.each([[null], ['nonsense'], ['x'.repeat(5000)], ['with space']])('are refused if malformed: %j', async (key) => {
    const response = await gateway.fetch('/v1/credits', { key });
    expect(response.headers.get('www-authenticate')).toContain('ApiKey');
    await expectRefusal(response, 401, 'UNAUTHENTICATED');
  });
  test('never appear in the log, nor do query strings', async () => {
    await gateway.fetch('/v1/credits?secret=hunter2');
    await gateway.fetch('/v1/credits');
    expect(gateway.logged()).toContain('"path":"/v1/credits"');
    expect(gateway.logged()).not.toContain(gateway.key);
    expect(gateway.logged()).not.toContain('hunter2');
  });
});
