import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pdfWithPhoto, photo } from './files.ts';
import { sharedInstance, type SharedInstance } from './shared-instance.ts';

let instance: SharedInstance;
beforeAll(async () => {
  instance = await sharedInstance();
});
afterAll(async () => await instance?.[Symbol.asyncDispose]());

interface Announced {
  id: string;
  uploadUrl: string;
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await fetch(`${instance.url}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': instance.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(202);
  return (await response.json()) as T;
}

const announce = (file: Buffer, mimetype: string): Promise<Announced> =>
  post('/v1/uploads/signed', { filename: 'file', filesize: file.byteLength, mimetype, enhancements: [{}] });
const put = async (url: string, file: Buffer, type: string): Promise<number> =>
  (await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: new Uint8Array(file) })).status;
const complete = (id: string): Promise<{ status: string; errorCode: string | null }> =>
  post(`/v1/uploads/${id}/complete`, {});

test.each([
  ['image/jpeg', () => photo(3)],
  ['application/pdf', pdfWithPhoto],
])('a file of type %s is sent to its signed URL and enhanced', async (mimetype, make) => {
  const file = await make();
  const { id, uploadUrl } = await announce(file, mimetype);
  expect(await put(uploadUrl, file, mimetype)).toBe(200);
  expect(await put(uploadUrl, file, mimetype)).toBe(403);
  expect(await complete(id)).toMatchObject({ status: 'UPLOAD_FINISHED', mimetype, filesize: file.byteLength });
  const [enhanced] = (await instance.api.settled(id)).enhancements;
  expect(enhanced).toMatchObject({ status: 'FINISHED', mimetype });
  expect(await put(uploadUrl, file, mimetype)).toBe(403);
});

test('a file that differs from its declaration fails at completion and leaves nothing', async () => {
  const [declared, other] = [await photo(4), await photo(5)];
  const { id, uploadUrl } = await announce(declared, 'image/png');
  expect(await put(uploadUrl, other.subarray(0, 25_000), 'image/png')).toBe(200);
  expect(await complete(id)).toMatchObject({ status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_MISMATCH', url: null });
  expect((await instance.api.settled(id)).enhancements).toMatchObject([
    { status: 'ERROR', errorCode: 'UPLOAD_MISMATCH' },
  ]);
});
