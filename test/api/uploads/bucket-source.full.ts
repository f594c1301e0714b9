import { beforeAll, expect, test } from '@jest/globals';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
beforeAll(async () => {
  const place = { accountId: gateway.account.id, name: 'photos', bucket: 'abc', prefix: '', region: 'us-east-1' };
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  await gateway.records.buckets.create({ ...place, endpoint: 'https://s3.example.com' }, credentials);
});

test('an upload from a bucket gives the workflow the bucket and the key, and takes its name from the key', async () => {
  const response = await send('POST', '/v1/uploads', { body: { source: { bucket: 'photos', key: 'in/Zoé 1.jpg' } } });
  expect(response.status).toBe(202);
  const { id, originalFilename } = await response.json();
  expect(originalFilename).toBe('Zoé 1.jpg');
  const start = await gateway.records.uploadStarts.find(id);
  expect(start?.input.source).toEqual({ kind: 'bucket', bucket: 'photos', key: 'in/Zoé 1.jpg' });
});

test('a repetition with the same key gets the same upload', async () => {
  const body = { source: { bucket: 'photos', key: 'in/2.jpg' } };
  const ids = [];
  for (let n = 0; n < 2; n += 1) {
    const response = await send('POST', '/v1/uploads', { body, once: 'bucket-2' });
    ids.push((await response.json()).id);
  }
  expect(ids[1]).toBe(ids[0]);
});

test.each([
  [{ bucket: 'unknown', key: 'a.jpg' }, 'source.bucket'],
  [{ bucket: 'photos', key: '../a.jpg' }, 'source.key'],
  [{ bucket: 'photos', key: '/a.jpg' }, 'source.key'],
  [{ bucket: 'photos' }, 'source'],
  [{ bucket: 'photos', key: 'a.jpg', url: 'https://example.com/a.jpg' }, 'source'],
])('the source %j is refused, and the field is named', async (source, field) => {
  const response = await send('POST', '/v1/uploads', { body: { source } });
  expect([response.status, (await response.json()).field]).toEqual([400, field]);
});

test('another account does not see the bucket', async () => {
  const body = { source: { bucket: 'photos', key: 'a.jpg' } };
  const response = await send('POST', '/v1/uploads', { body, key: gateway.foreignKey });
  expect((await response.json()).field).toBe('source.bucket');
});

test('GraphQL starts an upload from a bucket', async () => {
  const answer = await graphql(
    gateway,
    'mutation ($input: CreateUploadFromBucketInput!) { createUploadFromBucket(input: $input) { originalFilename } }',
    { variables: { input: { bucket: 'photos', key: 'in/3.jpg' } } },
  );
  expect(answer.data.createUploadFromBucket).toEqual({ originalFilename: '3.jpg' });
});
