import { beforeEach, expect, test } from '@jest/globals';
import { type EnhancementRequest, initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { useGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';
import { graphql, refusal } from './support.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.updates.length = 0;
});

const BY_URL = 'mutation ($url: String!) { createUploadFromUrl(input: { url: $url }) { id } }';
const keyed = (key: string): { headers: Record<string, string> } => ({ headers: { 'Idempotency-Key': key } });
const one = (key: string, url: string) => graphql(gateway, BY_URL, { ...keyed(key), variables: { url } });

test('the same key with the same GraphQL request has one effect and the same answer', async () => {
  const [first, again] = [await one('a', 'http://8.8.8.8/1.jpg'), await one('a', 'http://8.8.8.8/1.jpg')];
  expect(again.data).toEqual(first.data);
  expect(first.data.createUploadFromUrl.id).toMatch(/^upl_/);
  expect(gateway.temporal.starts).toHaveLength(1);
});

test('a repetition by its key is told in a header, for one change as for several', async () => {
  const told = async (key: string, query: string): Promise<string | null> => {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    return response.headers.get('idempotent-replayed');
  };
  const change = 'updateFileRetention(days: 9) { uploadRetentionDays }';
  for (const [key, query] of Object.entries({
    told1: `mutation { ${change} }`,
    told2: `mutation { one: ${change} two: ${change} }`,
  }))
    expect([await told(key, query), await told(key, query), await told(`${key}b`, query)]).toEqual([
      null,
      'true',
      null,
    ]);
});

test('the same key with another GraphQL request is refused and changes nothing', async () => {
  await one('b', 'http://8.8.8.8/1.jpg');
  const other = await one('b', 'http://8.8.8.8/2.jpg');
  expect(refusal(other)).toEqual(['IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key']);
  const elsewhere = await graphql(
    gateway,
    'mutation { updateFileRetention(days: 9) { uploadRetentionDays } }',
    keyed('b'),
  );
  expect(refusal(elsewhere)).toEqual(['IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key']);
  expect(gateway.temporal.starts).toHaveLength(1);
});

test('the idempotency key of a REST upload returns the same upload in GraphQL', async () => {
  const response = await gateway.fetch('/v1/uploads', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'c' },
    body: JSON.stringify({ source: { url: 'http://8.8.8.8/1.jpg' } }),
  });
  const { id } = await response.json();
  expect((await one('c', 'http://8.8.8.8/1.jpg')).data.createUploadFromUrl.id).toBe(id);
});

test('several mutations in one document have one key each, by their response names', async () => {
  const upload = await storedUpload(gateway);
  gateway.temporal.onUpdate = ({ args }) =>
    (args[0] as EnhancementRequest[]).map((each) => initialEnhancement(each, upload, new Date().toISOString()));
  const enhance = `createEnhancedImage(uploadId: "${upload.id}", input: { mode: VIVID }) { id }`;
  const document = `mutation { one: ${enhance} two: ${enhance} }`;
  const first = await graphql(gateway, document, keyed('d'));
  expect(first.errors).toBeUndefined();
  expect(first.data.one.id).not.toBe(first.data.two.id);
  const again = await graphql(gateway, document, keyed('d'));
  expect(again.data).toEqual(first.data);
  expect(gateway.temporal.updates).toHaveLength(2);
  const grown = await graphql(gateway, `mutation { one: ${enhance} two: ${enhance} three: ${enhance} }`, keyed('d'));
  expect([refusal(grown), grown.data]).toEqual([
    ['IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key'],
    { one: null, two: null, three: null },
  ]);
  expect(gateway.temporal.updates).toHaveLength(2);
});

test('a secret that was shown once is not repeated in a repeated answer', async () => {
  const document = 'mutation { createApiKey(name: "Once") { key apiKey { id } } }';
  const first = await graphql(gateway, document, keyed('e'));
  const again = await graphql(gateway, document, keyed('e'));
  expect(again.data.createApiKey).toEqual({ key: null, apiKey: { id: first.data.createApiKey.apiKey.id } });
});

test.each([
  ['empty', ''],
  ['too long', 'x'.repeat(256)],
  ['with a blank', 'a b'],
])('an idempotency key that is %s is refused', async (_what, key) => {
  const answer = await one(key, 'http://8.8.8.8/1.jpg');
  expect(refusal(answer)).toEqual(['BAD_USER_INPUT', 'Idempotency-Key']);
  expect(gateway.temporal.starts).toHaveLength(0);
});

test('queries ignore an idempotency key', async () => {
  const { errors } = await graphql(gateway, '{ credits { periodEnd } }', keyed('a b'));
  expect(errors).toBeUndefined();
});
