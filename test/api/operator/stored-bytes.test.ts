import { beforeAll, expect, test } from '@jest/globals';
import { jpeg } from '../support/files.ts';
import { OPERATOR_KEY, useGateway, type TestResponse } from '../support/gateway.ts';
import { openRequest } from '../support/open-request.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
let photo: Buffer;
let size: number;
beforeAll(async () => {
  photo = await jpeg();
  size = photo.byteLength;
});

async function made(maxStoredBytes: number): Promise<{ id: string; key: string }> {
  const body = { name: `Account ${Math.random()}`, maxStoredBytes };
  const { account, apiKey } = await (await send('POST', '/v1/operator/accounts', { key: OPERATOR_KEY, body })).json();
  return { id: account.id, key: apiKey };
}

const post = (
  path: string,
  key: string,
  type: string,
  body: NonNullable<RequestInit['body']>,
  once?: string,
): Promise<TestResponse> => {
  const headers = { 'Content-Type': type, ...(once === undefined ? {} : { 'Idempotency-Key': once }) };
  return gateway.fetch(path, { method: 'POST', key, headers, body });
};
const raw = (key: string, once?: string): Promise<TestResponse> =>
  post('/v1/uploads', key, 'image/jpeg', new Uint8Array(photo), once);
const seen = async (response: TestResponse): Promise<unknown[]> => [response.status, (await response.json()).code];
const stored = async (id: string): Promise<number> =>
  (await (await send('GET', `/v1/operator/accounts/${id}`, { key: OPERATOR_KEY })).json()).storedBytes;
test('of parallel uploads only those are accepted that fit together; the others leave nothing, and another account is free', async () => {
  const { id, key } = await made(2 * size);
  const other = await made(2 * size);
  const answers = await Promise.all([...Array.from({ length: 6 }, () => raw(key)), raw(other.key)]);
  expect(answers.pop()!.status).toBe(202);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 403, 403, 403, 403]);
  const refused = await answers.find(({ status }) => status === 403)!.json();
  expect(refused).toMatchObject({ code: 'STORAGE_LIMIT', retryable: false });
  expect(await stored(id)).toBe(2 * size);
  expect(await gateway.records.stagedFiles.olderThan(-1000)).toEqual([]);
});

test('every way in has the bound, and a deletion frees its bytes', async () => {
  const { id, key } = await made(size + 10);
  const first = await (await raw(key)).json();
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(photo)]), 'photo.jpg');
  const tus = { 'Tus-Resumable': '1.0.0', 'Upload-Length': String(size) };
  const signed = { filename: 'photo.jpg', filesize: size, mimetype: 'image/jpeg' };
  const refused = [403, 'STORAGE_LIMIT'];
  expect(await seen(await raw(key))).toEqual(refused);
  expect(await seen(await gateway.fetch('/v1/uploads', { method: 'POST', key, body: form }))).toEqual(refused);
  expect(await seen(await gateway.fetch('/v1/tus', { method: 'POST', key, headers: tus }))).toEqual(refused);
  expect(await seen(await send('POST', '/v1/uploads/signed', { key, body: signed }))).toEqual(refused);
  const query = 'mutation ($i: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $i) { uploadId } }';
  const viaGraph = await send('POST', '/graphql', { key, body: { query, variables: { i: signed } } });
  expect((await viaGraph.json()).errors[0].extensions.code).toBe('STORAGE_LIMIT');
  // The size of these is unknown: they are refused once nothing fits any more.
  const change = { key: OPERATOR_KEY, body: { maxStoredBytes: size } };
  expect((await send('PATCH', `/v1/operator/accounts/${id}`, change)).status).toBe(200);
  const url = { source: { url: 'https://example.com/photo.jpg' } };
  expect(await seen(await send('POST', '/v1/uploads', { key, body: url }))).toEqual(refused);

  const { revision: _, ...upload } = (await gateway.records.uploads.get(id, first.id))!;
  await gateway.records.uploads.project({ ...upload, revision: 9, status: 'UPLOAD_DELETED', objectKey: null });
  expect(await stored(id)).toBe(0);
  expect((await send('POST', '/v1/uploads/signed', { key, body: signed })).status).toBe(202);
  expect(await stored(id)).toBe(size);
});

test('a body that cannot fit is refused before it arrives, but not one that may repeat an accepted request', async () => {
  const { key } = await made(size);
  const first = await (await raw(key, 'once')).json();
  const headers = { 'x-api-key': key, 'content-type': 'image/jpeg', 'content-length': String(size) };
  const [sent, answer] = openRequest(gateway, '/v1/uploads', headers);
  sent.on('error', () => undefined).flushHeaders();
  expect(await answer).toMatchObject({ status: 403, body: { code: 'STORAGE_LIMIT' } });
  sent.destroy();
  const again = await raw(key, 'once');
  expect([again.status, (await again.json()).id]).toEqual([202, first.id]);
});
