import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { jpeg } from '../support/files.ts';
import { useGateway } from '../support/gateway.ts';
import { tusRequests, type Headers } from './tus-requests.ts';

const gateway = useGateway({}, { idleTimeoutMs: 1_000 });
const { send, metadata, create, begin, patch, offsetOf, idIn, refusal } = tusRequests(gateway);
const MB = 1_000_000;
let photo: Buffer;

beforeAll(async () => {
  photo = await jpeg();
});
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.signals.length = 0;
});

describe('POST /v1/tus', () => {
  test('creates an upload that waits for its bytes, with the order of its metadata', async () => {
    const response = await create(
      photo.byteLength,
      {
        filename: 'Foto ü.jpg',
        filetype: 'image/jpeg',
        reference: 'order-1',
        enhancements: '[{"mode":"VIVID"}]',
        name: 'as Uppy names it',
        type: 'image/jpeg',
        relativePath: 'null',
      },
      { 'Idempotency-Key': 'tus-1' },
    );
    const body = await response.json();
    expect([response.status, response.headers.get('location')]).toEqual([201, `/v1/tus/${body.id}`]);
    expect(response.headers.get('tus-resumable')).toBe('1.0.0');
    const inMs = Date.parse(response.headers.get('upload-expires')!) - Date.now();
    expect(Math.abs(inMs - 24 * 3_600_000)).toBeLessThan(60_000);
    expect(body).toMatchObject({ status: 'UPLOAD_PENDING', originalFilename: 'Foto ü.jpg', reference: 'order-1' });
    expect(body.enhancements).toHaveLength(1);
    const [start] = gateway.temporal.starts;
    expect(start!.options.args[0]).toMatchObject({
      source: { kind: 'resumable', declared: { size: photo.byteLength, mimetype: 'image/jpeg' } },
      enhancements: [{ parameters: { mode: 'VIVID' } }],
    });
  });

  test('returns the same upload for a repeated request with its idempotency key', async () => {
    const once = { 'Idempotency-Key': 'tus-again' };
    const [first, second] = [await create(30_000, {}, once), await create(30_000, {}, once)];
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(second.headers.get('upload-expires')).toBe(first.headers.get('upload-expires'));
    expect(gateway.temporal.starts).toHaveLength(1);
    expect(await refusal(await create(30_001, {}, once))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('keeps the password of a PDF out of the metadata that HEAD returns', async () => {
    const response = await create(30_000, { filename: 'a.pdf' }, { 'X-Pdf-Password': 'secret%20word' });
    const path = response.headers.get('location')!;
    const head = await send('HEAD', path);
    expect(head.headers.get('upload-metadata')).toBe(metadata({ filename: 'a.pdf' }));
    const given = gateway.records.uploadPasswords.withPassword(idIn(path), async ({ password }) => {
      if (password === undefined) throw new Failure('ENCRYPTED_PDF');
      return password;
    });
    expect(await given).toBe('secret word');
    expect(await refusal(await create(30_000, { password: 'x' }))).toMatchObject({ status: 400, field: 'password' });
  });

  test.each<[string, number | string, Record<string, string>, Headers, number, string, string?]>([
    ['a file over the limit', 1_000 * MB + 1, {}, {}, 413, 'FILE_TOO_LARGE', 'Upload-Length'],
    [
      'an image over the limit of images',
      60 * MB,
      { filetype: 'image/png' },
      {},
      413,
      'FILE_TOO_LARGE',
      'Upload-Length',
    ],
    ['a file under the limit', 100, {}, {}, 422, 'FILE_TOO_SMALL', 'Upload-Length'],
    ['a length that is no number', '-5', {}, {}, 400, 'BAD_USER_INPUT', 'Upload-Length'],
    ['a deferred length', 30_000, {}, { 'Upload-Defer-Length': '1' }, 400, 'BAD_USER_INPUT', 'Upload-Defer-Length'],
    ['a concatenation', 30_000, {}, { 'Upload-Concat': 'partial' }, 400, 'BAD_USER_INPUT', 'Upload-Concat'],
    ['an unsupported type', 30_000, { filetype: 'text/html' }, {}, 415, 'UNSUPPORTED_MEDIA_TYPE', 'filetype'],
    ['an unknown key', 30_000, { colour: 'red' }, {}, 400, 'BAD_USER_INPUT', 'colour'],
    ['parameters out of bounds', 30_000, { maxCredits: '-1' }, {}, 400, 'BAD_USER_INPUT', 'maxCredits'],
    [
      'parameters of images for a PDF',
      30_000,
      { filetype: 'application/pdf', enhancements: '[{"mode":"VIVID"}]' },
      {},
      400,
      'BAD_USER_INPUT',
      'enhancements[0].mode',
    ],
    ['a private address', 30_000, { webhookUrl: 'http://10.0.0.1/' }, {}, 422, 'URL_NOT_ALLOWED', 'webhookUrl'],
    [
      'metadata without Base64',
      30_000,
      {},
      { 'Upload-Metadata': 'filename %%%' },
      400,
      'BAD_USER_INPUT',
      'Upload-Metadata',
    ],
    [
      'metadata without UTF-8',
      30_000,
      {},
      { 'Upload-Metadata': 'filename /w==' },
      400,
      'BAD_USER_INPUT',
      'Upload-Metadata',
    ],
    [
      'metadata with a key twice',
      30_000,
      {},
      { 'Upload-Metadata': 'a eA==,a eA==' },
      400,
      'BAD_USER_INPUT',
      'Upload-Metadata',
    ],
    [
      'metadata with a key of the language',
      30_000,
      {},
      { 'Upload-Metadata': '__proto__ eA==' },
      400,
      'BAD_USER_INPUT',
      '__proto__',
    ],
  ])('refuses %s, and creates nothing', async (_what, length, pairs, headers, status, code, field) => {
    expect(await refusal(await create(length, pairs, headers))).toEqual({ status, code, field });
    expect(gateway.temporal.starts).toEqual([]);
  });

  test('refuses bytes in the creation, which would be lost', async () => {
    const headers = { 'Upload-Length': '30000', 'Content-Type': 'application/offset+octet-stream' };
    expect(await refusal(await send('POST', '/v1/tus', { headers, body: photo }))).toMatchObject({ status: 415 });
    expect(gateway.temporal.starts).toEqual([]);
  });
});

describe('a resumable upload', () => {
  test.each(['HEAD', 'PATCH', 'DELETE'])('of another account does not exist for %s', async (method) => {
    const path = await begin(photo.byteLength);
    const headers = { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': '0' };
    const body = method === 'PATCH' ? { body: photo } : {};
    const response = await send(method, path, { headers, ...body, key: gateway.foreignKey });
    expect(response.status).toBe(404);
    expect(await offsetOf(path)).toBe(0);
  });

  test.each(['POST', 'HEAD', 'PATCH', 'DELETE'])('needs a key with the scope `uploads` for %s', async (method) => {
    const path = method === 'POST' ? '/v1/tus' : await begin(photo.byteLength);
    const reader = await gateway.records.apiKeys.create(gateway.account.id, 'Reader', {
      scopes: ['read'],
      expiresAt: null,
    });
    expect((await send(method, path, { key: reader.key })).status).toBe(403);
    expect((await send(method, path, { key: null })).status).toBe(401);
  });

  test('that has failed is gone, with the code and the reason of its failure', async () => {
    const path = await begin(photo.byteLength);
    const upload = (await gateway.records.uploads.find(idIn(path)))!;
    const failed = { status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_EXPIRED', errorDetail: 'Too late.' } as const;
    await gateway.records.uploads.project({ ...upload, revision: 1, ...failed });
    expect((await send('HEAD', path)).status).toBe(410);
    expect(await refusal(await patch(path, 0, photo))).toEqual({ status: 410, code: 'UPLOAD_EXPIRED' });
  });

  test('that works already has all its bytes', async () => {
    const path = await begin(photo.byteLength);
    const upload = (await gateway.records.uploads.find(idIn(path)))!;
    await gateway.records.uploads.project({ ...upload, revision: 1, status: 'UPLOAD_PROCESSING' });
    expect(await offsetOf(path)).toBe(photo.byteLength);
    expect(gateway.temporal.signals).toEqual([]);
  });

  test('is deleted by DELETE as by the REST interface, and then unknown', async () => {
    const path = await begin(photo.byteLength);
    gateway.temporal.onUpdate = async ({ name, workflowId }) => {
      expect([name, workflowId]).toEqual(['deleteUpload', `upload/${idIn(path)}`]);
      const upload = (await gateway.records.uploads.find(idIn(path)))!;
      const tombstone = { ...upload, revision: 2, status: 'UPLOAD_DELETED' as const };
      await gateway.records.uploads.project(tombstone);
      return tombstone;
    };
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('HEAD', path)).status).toBe(404);
  });

  test('has its rows for a week after the deadline, and its housekeeping removes them', async () => {
    const path = await begin(photo.byteLength);
    gateway.clock.aheadMs = 7.9 * 24 * 3_600_000;
    expect(await gateway.records.uploadParts.purge()).toBe(0);
    gateway.clock.aheadMs = 8.1 * 24 * 3_600_000;
    expect(await gateway.records.uploadParts.purge()).toBeGreaterThan(0);
    gateway.clock.aheadMs = 0;
    expect((await send('HEAD', path)).status).toBe(404);
  });
});

describe('the version of tus', () => {
  test.each([[''], ['0.2.2'], ['1.0.1']])('%s is refused with 412, with the supported one', async (version) => {
    const headers = { 'Tus-Resumable': version, 'Upload-Length': '30000' };
    const response = await send('POST', '/v1/tus', { headers });
    expect(response.headers.get('tus-version')).toBe('1.0.0');
    expect(await refusal(response)).toEqual({ status: 412, code: 'BAD_USER_INPUT', field: 'Tus-Resumable' });
  });

  test('and everything that is offered are found by OPTIONS without a key', async () => {
    for (const path of ['/v1/tus', '/v1/tus/upl_x']) {
      const response = await gateway.fetch(path, { method: 'OPTIONS', key: null });
      expect(response.status).toBe(204);
      const given = (name: string): string | null => response.headers.get(name);
      expect(given('tus-version')).toBe('1.0.0');
      expect(given('tus-extension')).toBe('creation,expiration,termination,checksum');
      expect(given('tus-checksum-algorithm')).toBe('sha1,sha256');
      expect(given('tus-max-size')).toBe('1000000000');
      expect(given('access-control-allow-origin')).toBeNull();
    }
  });
});
