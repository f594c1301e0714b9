import { parse } from 'content-disposition';
import fc from 'fast-check';
import { request } from 'undici';
import { beforeAll, expect, test } from '@jest/globals';
import type { Upload } from '@burnish/contract';
import { createFileUrls } from '../../../src/api/files/file-urls.ts';
import { originalKey } from '../../../src/domain/files/object-keys.ts';
import { withoutHiddenMarks } from '../../../src/domain/upload/filenames.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';

const gateway = useGateway();
let photo: Buffer;
let upload: Upload;

beforeAll(async () => {
  photo = await jpeg();
  const stored = await uploadOf(gateway, photo, 'image/jpeg');
  upload = { ...stored, originalFilename: 'größe €.jpg', revision: stored.revision + 1 };
  await gateway.records.uploads.project(upload);
});

/** The path and query of an address that the API has handed out. */
async function address(id = upload.id): Promise<string> {
  const { url } = await (await gateway.fetch(`/v1/uploads/${id}`)).json();
  expect(url).toMatch(/^http:\/\/burnish\.test\/files\//);
  return url.slice('http://burnish.test'.length);
}
const get = async (headers: Record<string, string> = {}, method = 'GET'): Promise<TestResponse> =>
  gateway.fetch(await address(), { method, headers, key: null });

test('a signed URL returns the file without a key, with its name, private caching and hash', async () => {
  const response = await get();
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(photo)).toBe(true);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'image/jpeg',
    'content-length': String(photo.byteLength),
    'cache-control': 'private, max-age=3600',
    'accept-ranges': 'bytes',
    etag: `"${upload.file!.sha256}"`,
    'x-content-type-options': 'nosniff',
  });
  expect(parse(response.headers.get('content-disposition')!).parameters['filename']).toBe('größe €.jpg');
});

test.each([{}, { Range: 'bytes=0-9' }, { Range: 'bytes=99999999-' }])(
  'HEAD ignores %j, and returns only the headers',
  async (headers) => {
    const response = await get(headers, 'HEAD');
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      String(photo.byteLength),
      '',
    ]);
  },
);

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=100-199', 100, 199],
  ['bytes=-5', -5, undefined],
  ['bytes=-99999999', 0, undefined],
  ['bytes=100-', 100, undefined],
  ['bytes=0-99999999', 0, undefined],
])('the range %s returns exactly these bytes', async (range, start, end) => {
  const response = await get({ Range: range });
  const wanted = photo.subarray(start, end === undefined ? undefined : end + 1);
  expect(response.status).toBe(206);
  expect(Buffer.from(await response.arrayBuffer()).equals(wanted)).toBe(true);
  const first = photo.byteLength - wanted.byteLength;
  const from = start < 0 ? first : start;
  expect(response.headers.get('content-range')).toBe(
    `bytes ${from}-${from + wanted.byteLength - 1}/${photo.byteLength}`,
  );
});

test('any range returns its slice of the file or 416', async () => {
  const path = await address();
  await fc.assert(
    fc.asyncProperty(fc.nat(photo.byteLength + 50), fc.nat(3000), async (start, length) => {
      const response = await gateway.fetch(path, { key: null, headers: { Range: `bytes=${start}-${start + length}` } });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(response.status).toBe(start < photo.byteLength ? 206 : 416);
      if (response.status === 206) expect(bytes.equals(photo.subarray(start, start + length + 1))).toBe(true);
    }),
    { numRuns: 25 },
  );
});

test.each([
  ['bytes=0-1,5-6', 200],
  ['lines=1-2', 200],
  ['nonsense', 200],
  ['bytes=9-1', 200],
  ['bytes=-', 200],
  ['bytes=99999999-', 416],
  ['bytes=-0', 416],
])('the range %s is answered with %i', async (range, status) => {
  const response = await get({ Range: range });
  await response.arrayBuffer();
  expect(response.status).toBe(status);
  if (status === 416) expect(response.headers.get('content-range')).toBe(`bytes */${photo.byteLength}`);
});

test('a signed URL honours conditional requests', async () => {
  const etag = `"${upload.file!.sha256}"`;
  // Not by fetch, which tells the server to ignore the condition.
  const unchanged = await request(`${gateway.url}${await address()}`, { headers: { 'If-None-Match': etag } });
  expect([unchanged.statusCode, await unchanged.body.text()]).toEqual([304, '']);
  expect((await get({ 'If-Range': etag, Range: 'bytes=0-9' })).status).toBe(206);
  const changed = await get({ 'If-Range': '"other"', Range: 'bytes=0-9' });
  expect([changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([200, photo.byteLength]);
});

test.each([
  ['its own tag', (etag: string) => ({ 'If-Match': `"other", ${etag}` }), 206],
  ['any tag', () => ({ 'If-Match': '*' }), 206],
  ['another tag', () => ({ 'If-Match': '"other"' }), 412],
  ['its weak tag', (etag: string) => ({ 'If-Match': `W/${etag}` }), 412],
  ['a date before it', () => ({ 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' }), 412],
  ['its date', (_etag: string, date: string) => ({ 'If-Unmodified-Since': date }), 206],
  ['no date', () => ({ 'If-Unmodified-Since': 'yesterday' }), 206],
  [
    'its tag and a date before it',
    (etag: string) => ({ 'If-Match': etag, 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' }),
    206,
  ],
  ['another tag, and a tag to skip', (etag: string) => ({ 'If-Match': '"other"', 'If-None-Match': etag }), 412],
])('a range under the condition of %s is answered with its status', async (_what, conditions, status) => {
  const date = (await get()).headers.get('last-modified')!;
  const response = await get({ Range: 'bytes=0-9', ...conditions(`"${upload.file!.sha256}"`, date) });
  expect(response.status).toBe(status);
  expect(response.headers.has('etag')).toBe(status === 206);
  if (status === 412) expect(await response.json()).toMatchObject({ status: 412, code: 'BAD_USER_INPUT' });
});

test('a change under the condition of a tag is refused where there is no tag', async () => {
  const { id } = await storedUpload(gateway);
  const change = (match: string) =>
    gateway.fetch('/v1/settings', {
      method: 'PATCH',
      headers: { 'If-Match': match, 'Content-Type': 'application/json' },
      body: '{"uploadRetentionDays":9}',
    });
  const removal = await gateway.fetch(`/v1/uploads/${id}`, { method: 'DELETE', headers: { 'If-Match': '"seen"' } });
  expect([removal.status, (await change('"seen"')).status, (await change('*')).status]).toEqual([412, 412, 200]);
});

test('pages of any origin may read a file and a range of it', async () => {
  const path = await address();
  const origin = { Origin: 'https://shop.example' };
  const preflight = await gateway.fetch(path, {
    key: null,
    method: 'OPTIONS',
    headers: { ...origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'range' },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Range');
  const part = await gateway.fetch(path, { key: null, headers: { ...origin, Range: 'bytes=0-9' } });
  expect([part.status, part.headers.get('access-control-allow-origin')]).toEqual([206, '*']);
  expect(part.headers.get('access-control-expose-headers')).toContain('Content-Range');
  const refused = await gateway.fetch(`${path}x`, { key: null, headers: origin });
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, '*']);
});

test('a changed, moved or expired signed URL is refused', async () => {
  const path = await address();
  const forged = createUrlSigner({ keys: oneKey('another secret of someone'), now: Date.now }).sign(
    '/files/x/y',
    { key: 'acc/upl/original', type: 'a/b' },
    1e15,
  );
  for (const wrong of [
    `${path}x`,
    path.replace(upload.id, `upl_${'5'.repeat(26)}`),
    `${path}&a=1`,
    path.split('?')[0]!,
    forged,
  ]) {
    const response = await gateway.fetch(wrong, { key: null });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED', title: 'Forbidden' });
  }
  gateway.clock.aheadMs = 24 * 3_600_000;
  const late = await gateway.fetch(path, { key: null });
  gateway.clock.aheadMs = 0;
  expect(late.status).toBe(403);
  expect(await late.json()).toMatchObject({
    code: 'SIGNED_URL_EXPIRED',
    detail: 'The URL has expired.',
    remedy: 'Read the record again for a new URL.',
  });
});

test('a downloaded file has a name with the extension of its type, without bidirectional marks', async () => {
  const named = { originalFilename: 'photo\u202Egpj.exe' };
  const hidden = await uploadOf(gateway, Buffer.from('of this upload'), 'image/jpeg', named);
  const response = await fetch(`${gateway.url}${await address(hidden.id)}`);
  expect([response.status, response.headers.get('content-disposition')]).toEqual([
    200,
    'attachment; filename=photogpj.exe.jpg',
  ]);
  await response.arrayBuffer();
});

test('a deleted file is not found', async () => {
  const { id } = await storedUpload(gateway);
  const response = await gateway.fetch(await address(id), { key: null });
  expect([response.status, (await response.json()).code]).toEqual([404, 'NOT_FOUND']);
});

test('a record with a file of another upload or account returns no file', async () => {
  const other = await uploadOf(gateway, Buffer.from('of another upload'), 'image/jpeg');
  const foreignAccount = originalKey(`acc_${'7'.repeat(26)}`, other.id);
  await gateway.storage.put(foreignAccount, [Buffer.from('x')] as unknown as AsyncIterable<Uint8Array>, {
    maxBytes: 100,
  });
  for (const objectKey of [other.objectKey!, foreignAccount, 'acc/upl/original']) {
    const { id } = await storedUpload(gateway, { objectKey });
    expect(await (await gateway.fetch(`/v1/uploads/${id}`)).json()).toMatchObject({ id, url: null });
    for (const path of ['preview', 'preview?width=full']) {
      expect((await gateway.fetch(`/v1/uploads/${id}/${path}`)).status).toBe(404);
    }
    const own = await storedUpload(gateway);
    const result = { objectKey, size: 1, sha256: 'ab'.repeat(32), mimetype: 'image/jpeg', filename: 'a.jpg' } as const;
    const taken = { status: 'FINISHED', result: { ...result, originalSize: 1, width: 1, height: 1 } } as const;
    const { id: enhancementId } = await storedEnhancement(gateway, own, taken);
    const read = await gateway.fetch(`/v1/enhancements/${enhancementId}`);
    expect(await read.json()).toMatchObject({ id: enhancementId, fullUrl: null });
    expect((await gateway.fetch(`/v1/enhancements/${enhancementId}/preview`)).status).toBe(404);
  }
});

test('any file name with the extension of its type survives the signed URL unchanged', async () => {
  const urls = createFileUrls({
    signer: createUrlSigner({ keys: oneKey('a secret for tests only'), now: Date.now }),
    publicUrl: '',
    now: Date.now,
  });
  const name = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
    .map((text) => `${text}.jpg`)
    .filter(
      (text) =>
        withoutHiddenMarks(text) === text &&
        !/[\p{Cc}\p{Surrogate}/\\]/u.test(text) &&
        text.trim() === text &&
        !/^\.{1,2}$/.test(text),
    );
  await fc.assert(
    fc.asyncProperty(name, async (originalFilename) => {
      const response = await gateway.fetch(urls.ofOriginal({ ...upload, originalFilename })!, {
        key: null,
        method: 'HEAD',
      });
      expect(response.status).toBe(200);
      expect(parse(response.headers.get('content-disposition')!).parameters['filename']).toBe(originalFilename);
    }),
    { numRuns: 60 },
  );
});
