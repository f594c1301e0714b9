import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { enhancements } from '../../../src/database/schema/enhancements.ts';
import { uploads } from '../../../src/database/schema/uploads.ts';
import { graphql } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const UNREADABLE = {
  errorCode: 'INTERNAL',
  errorDetail: 'Burnish cannot read this record. Give the operator of this instance its id.',
};
const result = {
  ...{ objectKey: 'x', filename: 'photo.jpg', mimetype: 'image/jpeg', size: 1, sha256: 'ab', width: 1, height: 1 },
} as never;

test.each([
  ['an unknown type of file', { file: sql`'{"size":1,"sha256":"ab","mimetype":"image/future"}'::jsonb` }],
  ['a file without fields', { file: sql`'7'::jsonb` }],
  ['a status of a later version', { status: sql`'UPLOAD_FUTURE'` }],
  ['a provider of a later version', { provider: sql`'future'` }],
  ['a time without an end', { finishedAt: sql`'infinity'` }],
])('a list shows an upload with %s, and all others', async (_what, damage) => {
  const before = await storedUpload(gateway);
  // Records of one millisecond have no order that a caller knows.
  await delay(2);
  const damaged = await storedUpload(gateway);
  await delay(2);
  const after = await storedUpload(gateway);
  await gateway.database.orm.update(uploads).set(damage).where(eq(uploads.id, damaged.id));
  const ids = [after, damaged, before].map(({ id }) => id);
  for (const query of ['', '&include=enhancements']) {
    const listed = await send('GET', `/v1/uploads?limit=3${query}`);
    expect(listed.status).toBe(200);
    const { items } = await listed.json();
    expect(items.map(({ id }: Json) => id)).toEqual(ids);
    expect(items[0]).toMatchObject({ errorCode: null, status: 'UPLOAD_FINISHED' });
    if (!('finishedAt' in damage)) expect(items[1]).toMatchObject({ ...UNREADABLE, url: null, mimetype: null });
  }
  const read = await send('GET', `/v1/uploads/${damaged.id}`);
  expect(read.status).toBe(200);
  const document = '{ uploads(first: 3) { nodes { id status errorCode errorDetail provider finishedAt } } }';
  const { data, errors } = await graphql(gateway, document);
  expect(errors).toBeUndefined();
  expect(data.uploads.nodes.map(({ id }: Json) => id)).toEqual(ids);
});

test.each([
  ['a damaged result', { result: sql`'{}'::jsonb` }],
  ['a status of a later version', { status: sql`'FUTURE'` }],
  ['a provider of a later version', { provider: sql`'future'` }],
])('a list shows an enhancement with %s, and all others', async (_what, damage) => {
  const upload = await storedUpload(gateway);
  const good = await storedEnhancement(gateway, upload, { status: 'FINISHED', result });
  const damaged = await storedEnhancement(gateway, upload, { status: 'FINISHED', result });
  await gateway.database.orm.update(enhancements).set(damage).where(eq(enhancements.id, damaged.id));
  const listed = await send('GET', '/v1/enhancements?limit=2');
  expect(listed.status).toBe(200);
  const { items } = await listed.json();
  const byId = new Map<string, Json>(items.map((item: Json) => [item.id, item]));
  expect(byId.get(good.id)).toMatchObject({ status: 'FINISHED', errorCode: null });
  expect(byId.get(damaged.id)).toMatchObject({ ...UNREADABLE, fullUrl: null });
  const { data, errors } = await graphql(
    gateway,
    '{ enhancedImages(first: 2) { nodes { id status errorCode provider } } }',
  );
  expect(errors).toBeUndefined();
  expect(data.enhancedImages.nodes).toHaveLength(2);
});
