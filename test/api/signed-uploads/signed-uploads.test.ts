import { createHash } from 'node:crypto';
import { request } from 'node:http';
import {
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ArrivedFile } from '../../../src/domain/upload/new-upload.ts';
import { jpeg, pdf } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { poll } from '../../support/poll.ts';
import { onTestFinished } from '../../support/running-test.ts';

const HOUR_MS = 3_600_000;
const gateway = useGateway();
let photo: Buffer;

beforeAll(async () => {
  photo = await jpeg();
});
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.updates.length = 0;
  Object.assign(gateway.clock, { aheadMs: 0, stepMs: 0 });
  gateway.temporal.onUpdate = takeOneFile;
});

/** As the workflow does: the first file of an upload is taken over, the others are refused. */
async function takeOneFile({ workflowId, args }: { workflowId: string; args: unknown[] }): Promise<unknown> {
  const upload = (await gateway.records.uploads.find(workflowId.slice('upload/'.length)))!;
  if (taken.has(upload.id)) {
    const cause = ApplicationFailure.create({ type: 'CONFLICT', message: 'Taken.', nonRetryable: true });
    throw new WorkflowUpdateFailedError('Workflow Update failed', cause);
  }
  const file = args[0] as ArrivedFile;
  taken.set(upload.id, file);
  const objectKey = `${upload.accountId}/${upload.id}/original`;
  await gateway.storage.copy(file.objectKey, objectKey);
  const arrived = { ...upload, revision: upload.revision + 1, objectKey };
  await gateway.records.uploads.project(arrived);
  return arrived;
}
const taken = new Map<string, ArrivedFile>();

interface Announced {
  id: string;
  status: string;
  uploadUrl: string;
  uploadUrlExpiresAt: string;
}
const declaration = (given: object = {}): object => ({
  filename: 'photo.jpg',
  filesize: photo.byteLength,
  mimetype: 'image/jpeg',
  ...given,
});
const post = (path: string, body: unknown, headers: Record<string, string> = {}, key?: string): Promise<TestResponse> =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(key === undefined ? {} : { key }),
  });
const announce = async (given?: object): Promise<Announced> =>
  (await post('/v1/uploads/signed', declaration(given))).json();
const pathOf = (uploadUrl: string): string => uploadUrl.slice('http://burnish.test'.length);
const put = (uploadUrl: string, body: Buffer = photo, type = 'image/jpeg'): Promise<TestResponse> =>
  gateway.fetch(pathOf(uploadUrl), {
    method: 'PUT',
    key: null,
    headers: { 'Content-Type': type },
    body: new Uint8Array(body),
  });
const staged = (): Promise<unknown[]> => gateway.records.stagedFiles.olderThan(-1000);

async function expectRefusal(response: TestResponse, status: number, code: string): Promise<void> {
  expect([response.status, (await response.json()).code]).toEqual([status, code]);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(await staged()).toEqual([]);
}

describe('POST /v1/uploads/signed', () => {
  test('creates an upload that waits for its file, and signs a URL for one hour', async () => {
    const response = await post('/v1/uploads/signed', declaration({ enhancements: [{ mode: 'VIVID' }] }));
    const body = await response.json();
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/uploads/${body.id}`]);
    expect(body).toMatchObject({
      status: 'UPLOAD_PENDING',
      filesize: null,
      mimetype: null,
      url: null,
      startedAt: null,
    });
    expect(body.uploadUrl).toMatch(new RegExp(`^http://burnish\\.test/uploads/${body.id}\\?token=[\\w.-]+$`));
    expect(Date.parse(body.uploadUrlExpiresAt) - Date.parse(body.createdAt)).toBe(HOUR_MS);
    const { type, options } = gateway.temporal.starts[0]!;
    expect([type, options.workflowId]).toEqual(['upload', `upload/${body.id}`]);
    expect(options.args[0]).toMatchObject({
      source: {
        kind: 'signed',
        declared: { size: photo.byteLength, mimetype: 'image/jpeg' },
        expiresAt: body.uploadUrlExpiresAt,
      },
      enhancements: [{ parameters: { mode: 'VIVID' } }],
    });
    expect(await (await gateway.fetch(`/v1/uploads/${body.id}`)).json()).toMatchObject({ status: 'UPLOAD_PENDING' });
  });

  test('returns the same URL to the same request under the same key', async () => {
    const send = async (given?: object): Promise<TestResponse> =>
      post('/v1/uploads/signed', declaration(given), { 'Idempotency-Key': 'signed-1' });
    // The two begin at different times, and both come to the write of their record before either writes.
    gateway.clock.stepMs = 1000;
    const { uploadStarts } = gateway.records;
    const { record } = uploadStarts;
    const waiting: (() => void)[] = [];
    jest.spyOn(uploadStarts, 'record').mockImplementation(async (start) => {
      await new Promise<void>((resolve) => {
        if (waiting.push(resolve) === 2) for (const go of waiting) go();
      });
      return record(start);
    });
    onTestFinished(() => void jest.restoreAllMocks());
    // Over REST the second would be refused; two gateways, or GraphQL, let both in.
    const query =
      'mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadUrl } }';
    const graphql = (): Promise<TestResponse> =>
      post('/graphql', { query, variables: { input: declaration() } }, { 'Idempotency-Key': 'signed-1' });
    const atOnce = await Promise.all([graphql(), graphql()]);
    expect(waiting).toHaveLength(2);
    const third = await send();
    const urls = await Promise.all(
      atOnce.map(async (each) => (await each.json()).data.createSignedUploadUrl.uploadUrl as string),
    );
    urls.push((await third.json()).uploadUrl);
    expect(new Set(urls).size).toBe(1);
    expect(gateway.temporal.starts).toHaveLength(1);
    expect((await send({ filesize: 30_001 })).status).toBe(422);
  });

  test.each([
    ['no body', undefined, 400, 'BAD_USER_INPUT', 'filename'],
    ['no filename', { filename: undefined }, 400, 'BAD_USER_INPUT', 'filename'],
    ['a filename with a null byte', { filename: 'a\0' }, 400, 'BAD_USER_INPUT', 'filename'],
    ['half a byte', { filesize: 30_000.5 }, 400, 'BAD_USER_INPUT', 'filesize'],
    ['a size as text', { filesize: '30000' }, 400, 'BAD_USER_INPUT', 'filesize'],
    ['a negative size', { filesize: -1 }, 400, 'BAD_USER_INPUT', 'filesize'],
    ['a size below the minimum', { filesize: 19_999 }, 422, 'FILE_TOO_SMALL', 'filesize'],
    ['a size above the maximum of images', { filesize: 50_000_001 }, 413, 'FILE_TOO_LARGE', 'filesize'],
    [
      'a size above the maximum of PDFs',
      { filesize: 1_000_000_001, mimetype: 'application/pdf' },
      413,
      'FILE_TOO_LARGE',
      'filesize',
    ],
    ['a type that is not served', { mimetype: 'image/jxl' }, 415, 'UNSUPPORTED_MEDIA_TYPE', 'mimetype'],
    ['a type with half a surrogate pair', { mimetype: '\ud800' }, 415, 'UNSUPPORTED_MEDIA_TYPE', 'mimetype'],
    ['an unknown field', { sha256: 'x' }, 400, 'BAD_USER_INPUT', 'sha256'],
    [
      'parameters of PDFs',
      { enhancements: [{ targetResolution: 300 }] },
      400,
      'BAD_USER_INPUT',
      'enhancements[0].targetResolution',
    ],
  ])('refuses %s', async (_what, given, status, code, field) => {
    const response = await post('/v1/uploads/signed', given === undefined ? undefined : declaration(given));
    const body = await response.json();
    expect([response.status, body.code, body.field]).toEqual([status, code, field]);
    expect(gateway.temporal.starts).toEqual([]);
  });

  test.each([
    ['image/jpeg', 20_000],
    ['image/webp', 50_000_000],
    ['application/pdf', 1_000_000_000],
  ])('accepts the boundary size: %s of %i bytes', async (mimetype, filesize) => {
    expect((await post('/v1/uploads/signed', declaration({ mimetype, filesize }))).status).toBe(202);
  });
});

describe('PUT to the signed URL', () => {
  test('stores the file for its upload', async () => {
    const { id, uploadUrl } = await announce();
    const response = await put(uploadUrl);
    const sha256 = createHash('sha256').update(photo).digest('hex');
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([200, `"${sha256}"`, '']);
    const [update] = gateway.temporal.updates;
    expect(update).toMatchObject({ name: 'putFile', workflowId: `upload/${id}` });
    expect(update!.args).toMatchObject([{ size: photo.byteLength, sha256, mimetype: 'image/jpeg' }]);
    expect(await gateway.storage.head(`${gateway.account.id}/${id}/original`)).toMatchObject({ sha256 });
    expect(await gateway.storage.head((update!.args[0] as ArrivedFile).objectKey)).toBeUndefined();
    expect(await staged()).toEqual([]);
  });

  test('is allowed from browsers at any origin', async () => {
    const { uploadUrl } = await announce();
    const preflight = await gateway.fetch(pathOf(uploadUrl), {
      method: 'OPTIONS',
      key: null,
      headers: {
        Origin: 'https://app.example',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('PUT');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Content-Type');
    expect((await put(uploadUrl)).headers.get('access-control-allow-origin')).toBe('*');
  });

  test('accepts a file that differs from its declaration, which completion refuses', async () => {
    const facts = async (body: Buffer): Promise<unknown> => {
      const { id, uploadUrl } = await announce();
      expect((await put(uploadUrl, body)).status).toBe(200);
      return taken.get(id);
    };
    expect(await facts(photo.subarray(0, 1000))).toMatchObject({ size: 1000, mimetype: 'image/jpeg' });
    expect(await facts(pdf(photo.byteLength))).toMatchObject({ mimetype: 'application/pdf' });
    expect(await facts(Buffer.alloc(500, 'text '))).toMatchObject({ size: 500, mimetype: null });
    expect(await facts(Buffer.alloc(0))).toMatchObject({ size: 0, mimetype: null });
  });

  test.each([['image/png'], ['application/octet-stream'], ['']])('refuses the Content-Type %j', async (type) => {
    const { uploadUrl } = await announce();
    await expectRefusal(await put(uploadUrl, photo, type), 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(gateway.temporal.updates).toEqual([]);
  });

  test('refuses one byte more than declared, by its length and by its bytes, and fails the upload', async () => {
    gateway.temporal.onUpdate = () => ({});
    const stream = new Blob([new Uint8Array(photo)]).stream();
    const init = { method: 'PUT', key: null, headers: { 'Content-Type': 'image/jpeg' }, body: stream, duplex: 'half' };
    for (const send of [put, (url: string) => gateway.fetch(pathOf(url), init as RequestInit)]) {
      gateway.temporal.updates.length = 0;
      const { id, uploadUrl } = await announce({ filesize: photo.byteLength - 1 });
      await expectRefusal(await send(uploadUrl), 413, 'FILE_TOO_LARGE');
      expect(gateway.temporal.updates).toMatchObject([{ name: 'refuseLongFile', workflowId: `upload/${id}` }]);
    }
  });

  test('refuses a file that is too long after a valid one, and the upload continues', async () => {
    const { uploadUrl } = await announce();
    expect((await put(uploadUrl)).status).toBe(200);
    gateway.temporal.updates.length = 0;
    await expectRefusal(await put(uploadUrl, Buffer.concat([photo, photo])), 403, 'SIGNED_URL_USED');
    expect(gateway.temporal.updates).toEqual([]);
  });

  test.each([
    ['image/jpg', 'image/jpeg'],
    ['IMAGE/JPEG', 'Image/Jpg'],
    ['image/heif', 'image/heic'],
    ['image/HEIC', 'image/heif'],
  ])('accepts %s for a file that is sent as %s', async (mimetype, sentAs) => {
    const { uploadUrl } = await announce({ mimetype });
    expect((await put(uploadUrl, photo, sentAs)).status).toBe(200);
    const { options } = gateway.temporal.starts[0]!;
    const known = mimetype.toLowerCase().includes('hei') ? 'image/heic' : 'image/jpeg';
    expect(options.args[0]).toMatchObject({ source: { declared: { mimetype: known } } });
  });

  test('refuses a URL that is changed, of another upload, or malformed', async () => {
    const [one, other] = [await announce(), await announce()];
    const { uploadUrl } = one;
    const last = uploadUrl.at(-1) === 'A' ? 'B' : 'A';
    for (const url of [
      uploadUrl.slice(0, -1) + last,
      uploadUrl.replace(one.id, other.id),
      `${uploadUrl}&size=1`,
      uploadUrl.slice(0, uploadUrl.indexOf('?')),
      uploadUrl.replace('token=', 'token=x'),
    ]) {
      await expectRefusal(await put(url), 403, 'UNAUTHENTICATED');
    }
    expect(gateway.temporal.updates).toEqual([]);
  });

  test('refuses an expired URL', async () => {
    const { uploadUrl } = await announce();
    gateway.clock.aheadMs = HOUR_MS;
    await expectRefusal(await put(uploadUrl), 403, 'SIGNED_URL_EXPIRED');
  });

  test('succeeds once, also with parallel requests', async () => {
    const { uploadUrl } = await announce();
    const both = await Promise.all([put(uploadUrl), put(uploadUrl)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    await expectRefusal(await put(uploadUrl), 403, 'SIGNED_URL_USED');
  });

  test('refuses a third parallel sender', async () => {
    const { uploadUrl } = await announce();
    const begin = (): ReturnType<typeof request> => {
      const headers = { 'Content-Type': 'image/jpeg', 'Content-Length': photo.byteLength };
      const req = request(`${gateway.url}${pathOf(uploadUrl)}`, { method: 'PUT', headers });
      req.on('error', () => undefined);
      req.write(photo.subarray(0, 5000));
      return req;
    };
    const slow = [begin(), begin()];
    await poll(staged).toHaveLength(2);
    const third = await put(uploadUrl);
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '5']);
    for (const req of slow) req.destroy();
    await poll(staged).toEqual([]);
    await poll(async () => (await put(uploadUrl)).status).toBe(200);
  });

  test('refuses a failed or deleted upload, and one that ends while the file arrives', async () => {
    const { id, uploadUrl } = await announce();
    gateway.temporal.onUpdate = ({ workflowId }) => {
      throw new WorkflowNotFoundError('not found', workflowId, undefined);
    };
    await expectRefusal(await put(uploadUrl), 403, 'SIGNED_URL_USED');
    const upload = (await gateway.records.uploads.find(id))!;
    await gateway.records.uploads.project({ ...upload, revision: 3, status: 'UPLOAD_FAILED' });
    gateway.temporal.updates.length = 0;
    await expectRefusal(await put(uploadUrl), 403, 'SIGNED_URL_USED');
    expect(gateway.temporal.updates).toEqual([]);
  });

  test('answers 503 if no workflow accepts the file, and leaves the file to the sweep', async () => {
    const { uploadUrl } = await announce();
    gateway.temporal.onUpdate = () => {
      throw new WorkflowUpdateRPCTimeoutOrCancelledError('timed out');
    };
    const response = await put(uploadUrl);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    const [left] = await gateway.records.stagedFiles.olderThan(-2 * 24 * 3_600_000);
    expect(await gateway.storage.head(left!.objectKey)).toBeDefined();
    await gateway.storage.delete(left!.objectKey);
    await gateway.records.stagedFiles.remove(left!.uploadId);
  });
});

describe('POST /v1/uploads/{id}/complete', () => {
  test('sends one update and returns the new state of the upload', async () => {
    const { id } = await announce();
    const upload = (await gateway.records.uploads.find(id))!;
    const failed = { ...upload, status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH', errorDetail: 'Too short.' };
    gateway.temporal.onUpdate = () => failed;
    for (let i = 0; i < 2; i += 1) {
      const response = await post(`/v1/uploads/${id}/complete`, {}, { 'Idempotency-Key': 'complete-1' });
      expect(response.status).toBe(202);
      expect(await response.json()).toMatchObject({ id, status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH' });
    }
    const [first, second] = gateway.temporal.updates;
    expect(first).toMatchObject({ name: 'completeUpload', workflowId: `upload/${id}` });
    expect(second).toEqual(first);
  });

  test('answers 404 to a key of another account and for a deleted upload', async () => {
    const { id } = await announce();
    expect((await post(`/v1/uploads/${id}/complete`, {}, {}, gateway.foreignKey)).status).toBe(404);
    expect(gateway.temporal.updates).toEqual([]);
    const upload = (await gateway.records.uploads.find(id))!;
    await gateway.records.uploads.project({ ...upload, revision: 3, status: 'UPLOAD_DELETED' });
    gateway.temporal.onUpdate = ({ workflowId }) => {
      throw new WorkflowNotFoundError('not found', workflowId, undefined);
    };
    expect((await post(`/v1/uploads/${id}/complete`, {})).status).toBe(404);
  });
});
