import { beforeAll, describe, expect, test } from '@jest/globals';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

const URL_ORDER = { destination: { url: 'https://bucket.example.com/one.jpg?X-Amz-Signature=secret' } };
const BUCKET_ORDER = { destination: { bucket: 'results', key: '{enhancementId}' } };
const PHOTO_URL = 'https://example.com/photo.jpg';
const FILE = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(30_000)]);

let [narrow, full] = ['', ''];
let uploadId = '';
beforeAll(async () => {
  const { apiKeys, buckets } = gateway.records;
  const { id: accountId } = gateway.account;
  narrow = (await apiKeys.create(accountId, 'narrow', { scopes: ['read', 'uploads'] })).key;
  full = (await apiKeys.create(accountId, 'full', { scopes: ['read', 'uploads', 'destinations'] })).key;
  const place = { accountId, name: 'results', bucket: 'abc', prefix: '', region: 'us-east-1' };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  await buckets.create({ ...place, endpoint: 'https://s3.example.com' }, credentials);
  uploadId = (await storedUpload(gateway)).id;
});

/** What a way in tells of a refusal: nothing for an accepted order. */
interface Refusal {
  status?: number;
  code?: string;
  field?: string | undefined;
  detail?: string;
}
type Way = (key: string, order: object) => Promise<Refusal>;

const overRest = async (method: string, path: string, key: string, init: RequestInit): Promise<Refusal> => {
  const response = await gateway.fetch(path, { method, key, ...(init as object) });
  if (response.ok) return {};
  const { code, field, detail } = await response.json();
  return { status: response.status, code, field, detail };
};
const json =
  (path: string, toBody: (order: object) => object): Way =>
  (key, order) =>
    overRest('POST', path, key, {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(toBody(order)),
    });
const overGraphql =
  (document: string, toInput: (order: object) => object): Way =>
  async (key, order) => {
    const { errors } = await graphql(gateway, document, { key, variables: { id: uploadId, input: toInput(order) } });
    const { code, field, status } = (errors?.[0]?.extensions ?? {}) as Refusal;
    return errors === undefined ? {} : { status: status ?? 403, code: code!, field, detail: errors[0]!.message };
  };

const many = (order: object): string => JSON.stringify([order]);
const WAYS: Record<string, Way> = {
  'an upload from a URL': json('/v1/uploads', (order) => ({ source: { url: PHOTO_URL }, enhancements: [order] })),
  'an upload from a bucket': json('/v1/uploads', (order) => ({
    source: { bucket: 'results', key: 'a.jpg' },
    enhancements: [order],
  })),
  'a form': (key, order) => {
    const body = new FormData();
    body.append('enhancements', many(order));
    body.append('file', new Blob([FILE], { type: 'image/jpeg' }), 'photo.jpg');
    return overRest('POST', '/v1/uploads', key, { body });
  },
  'the file itself': (key, order) =>
    overRest('POST', `/v1/uploads?${new URLSearchParams({ enhancements: many(order) })}`, key, {
      headers: { 'Content-Type': 'image/jpeg' },
      body: FILE,
    }),
  'a signed upload': json('/v1/uploads/signed', (order) => ({
    filename: 'photo.jpg',
    filesize: 30_000,
    mimetype: 'image/jpeg',
    enhancements: [order],
  })),
  'a resumable upload': (key, order) =>
    overRest('POST', '/v1/tus', key, {
      headers: {
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '30000',
        'Upload-Metadata': `enhancements ${Buffer.from(many(order)).toString('base64')}`,
      },
    }),
  'an order for an upload': (key, order) =>
    json(`/v1/uploads/${uploadId}/enhancements`, () => ({ enhancements: [order] }))(key, order),
  'a batch': json('/v1/batches', (order) => ({ enhancements: [order] })),
  'GraphQL from a URL': overGraphql(
    'mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id } }',
    (order) => ({ url: PHOTO_URL, enhancements: [order] }),
  ),
  'GraphQL from a bucket': overGraphql(
    'mutation ($input: CreateUploadFromBucketInput!) { createUploadFromBucket(input: $input) { id } }',
    (order) => ({ bucket: 'results', key: 'a.jpg', enhancements: [order] }),
  ),
  'GraphQL, signed': overGraphql(
    'mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId } }',
    (order) => ({ filename: 'photo.jpg', filesize: 30_000, mimetype: 'image/jpeg', enhancements: [order] }),
  ),
  'GraphQL for an upload': overGraphql(
    'mutation ($id: ID!, $input: CreateEnhancedImageInput!) { createEnhancedImage(uploadId: $id, input: $input) { id } }',
    (order) => order,
  ),
  'a batch over GraphQL': overGraphql(
    'mutation ($input: CreateBatchInput!) { createBatch(input: $input) { id } }',
    (order) => ({ enhancements: [order] }),
  ),
};

describe('a destination needs its scope', () => {
  test.each(Object.keys(WAYS))('in %s', async (name) => {
    const way = WAYS[name]!;
    // A batch has many results, and a URL takes one.
    const orders = name.includes('batch') ? [BUCKET_ORDER] : [URL_ORDER, BUCKET_ORDER];
    const starts = gateway.temporal.starts.length;
    for (const order of orders) {
      expect(await way(narrow, order)).toEqual({
        status: 403,
        code: 'FORBIDDEN',
        field: expect.stringMatching(/(^|\.)destination$/),
        detail: expect.stringContaining('needs the scope destinations.'),
      });
    }
    expect([gateway.temporal.starts.length, gateway.temporal.updates]).toEqual([starts, []]);
    // The same orders without the destination, and with the scope, are not refused for it.
    expect((await way(narrow, {})).code).not.toBe('FORBIDDEN');
    for (const order of orders) expect((await way(full, order)).code).not.toBe('FORBIDDEN');
    gateway.temporal.updates.length = 0;
  });

  test('also where the order names a preset, which cannot contain one', async () => {
    const saved = { key: narrow, body: { enhancements: [{ upscalingFactor: 'X2', ...BUCKET_ORDER }] } };
    expect((await send('PUT', '/v1/presets/out', saved)).status).toBe(400);
    await send('PUT', '/v1/presets/twice', { key: narrow, body: { enhancements: [{ upscalingFactor: 'X2' }] } });
    const order = { preset: 'twice', ...BUCKET_ORDER };
    expect(await WAYS['an upload from a URL']!(narrow, order)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  test('and it alone uploads nothing', async () => {
    const { key } = await gateway.records.apiKeys.create(gateway.account.id, 'only', { scopes: ['destinations'] });
    expect(await WAYS['an upload from a URL']!(key, BUCKET_ORDER)).toMatchObject({ status: 403, field: undefined });
  });
});
