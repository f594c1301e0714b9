import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { Command } from 'commander';
import { Burnish } from '@burnish/client';
import { addBatchCommand } from '../../../src/cli/batch/batch-command.ts';
import { runBatch } from '../../../src/cli/batch/batch.ts';
import { batches } from '../../../src/database/schema/batches.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { poll } from '../../support/poll.ts';
import { graphql } from '../graphql/support.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { useForFile } from '../../support/use-for.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const living = useLivingGateway();
const s3 = useForFile(startS3Server);
let bucket: string;
const send = jsonRequests(() => living.gateway);
const numbers = Array.from({ length: 11 }, (_, index) => index + 1);

/** Writes a file below the prefix of the registered bucket. */
async function put(key: string, content: Buffer | string): Promise<void> {
  const path = join(s3.folderOf(bucket), 'below', key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

async function register(name: string, secretAccessKey: string): Promise<void> {
  const place = { accountId: living.gateway.account.id, name, bucket, prefix: 'below', region: 'us-east-1' };
  const credentials = { accessKeyId: s3.env['AWS_ACCESS_KEY_ID']!, secretAccessKey };
  await living.gateway.records.buckets.create({ ...place, endpoint: s3.endpoint }, credentials);
}

beforeAll(async () => {
  bucket = await s3.createBucket();
  const secret = s3.env['AWS_SECRET_ACCESS_KEY']!;
  await register('photos', secret);
  await register('locked', 'not-the-secret');
  for (const number of numbers) await put(`in/${number}.jpg`, await jpeg(number));
  await put('index.jpg', await jpeg(90));
  const credentials = { accessKeyId: s3.env['AWS_ACCESS_KEY_ID']!, secretAccessKey: secret };
  const client = new S3Client({ endpoint: s3.endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  for (const Key of ['below/in/folder/', 'below/in/empty.jpg'])
    await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: Buffer.alloc(0) }));
  client.destroy();
});

async function create(body: object = { samples: 20 }): Promise<string> {
  return (await (await send('POST', '/v1/batches', { body: { enhancements: [{}], ...body } })).json()).id;
}

async function add(id: string, ...items: object[]): Promise<[number, Json]> {
  const body = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const response = await living.gateway.fetch(`/v1/batches/${id}/items`, { method: 'POST', headers, body });
  return [response.status, await response.json()];
}

async function addPrefix(id: string, body: object, options: { key?: string; once?: string } = {}) {
  const response = await send('POST', `/v1/batches/${id}/prefix`, { body, ...options });
  return [response.status, await response.json()] as [number, Json];
}

async function manifest(id: string): Promise<Json[]> {
  const lines: Json[] = [];
  const { url: baseUrl, key: apiKey } = living.gateway;
  for await (const line of new Burnish({ baseUrl, apiKey }).batches.manifest(id)) lines.push(line);
  return lines;
}

/** Runs a command of `burnish batch`. */
async function burnish(...args: string[]): Promise<{ lines: string[] }> {
  const { url: baseUrl, key: apiKey } = living.gateway;
  const lines: string[] = [];
  const program = new Command().exitOverride();
  addBatchCommand(program, async (call) => void lines.push(...(await runBatch({ baseUrl, apiKey }, call)).lines));
  await program.parseAsync(['batch', ...args], { from: 'user' });
  return { lines };
}

const ends = (id: string): Promise<void> =>
  poll(async () => (await (await send('GET', `/v1/batches/${id}`)).json()).status, { timeout: 60_000 }).toBe(
    'FINISHED',
  );

test('the files with a prefix become items once, and the manifest names each with its bucket and key', async () => {
  const id = await create({ samples: 0 });
  expect(await addPrefix(id, { bucket: 'photos', prefix: 'in/' })).toEqual([200, { added: 11, repeated: 0 }]);
  expect(await addPrefix(id, { bucket: 'photos', prefix: 'in/' })).toEqual([200, { added: 0, repeated: 11 }]);
  await send('POST', `/v1/batches/${id}/close`);
  await ends(id);
  const lines = await manifest(id);
  const keys = numbers.map((number) => `photos/in/${number}.jpg`).toSorted();
  expect(lines.map((line) => [line.bucket, line.key, line.url, line.state])).toEqual(
    keys.map((key) => ['photos', key, null, 'FINISHED']),
  );
  const upload = await (await send('GET', `/v1/uploads/${lines[0].uploadId}`)).json();
  expect(upload).toMatchObject({ originalFilename: keys[0]!.split('/').at(-1), status: 'UPLOAD_FINISHED' });
  const start = await living.gateway.records.uploadStarts.find(upload.id);
  expect(start?.input.source).toEqual({ kind: 'bucket', bucket: 'photos', key: keys[0]!.slice('photos/'.length) });
  const csv = await (await send('GET', `/v1/batches/${id}/manifest?format=csv`)).text();
  expect(csv.split('\r\n')[1]).toMatch(/^photos\/in\/1\.jpg,.*,photos$/);
}, 120_000);

test('a batch writes the result of each item to its destination', async () => {
  const destination = { bucket: 'photos', key: 'out/{uploadId}/{name}' };
  const id = await create({ samples: 0, enhancements: [{ destination }] });
  await addPrefix(id, { bucket: 'photos', prefix: 'in/1' });
  await send('POST', `/v1/batches/${id}/close`);
  await ends(id);
  const lines = await manifest(id);
  expect(lines).toHaveLength(3);
  for (const { uploadId, enhancementId } of lines) {
    const read = async (): Promise<Json> => (await send('GET', `/v1/enhancements/${enhancementId}`)).json();
    await poll(async () => (await read()).destination.status, { timeout: 40_000 }).toBe('DELIVERED');
    const { filename, filesize, destination: outcome } = await read();
    expect(outcome).toMatchObject({ bucket: 'photos', key: `out/${uploadId}/${filename}` });
    const written = await stat(join(s3.folderOf(bucket), 'below', 'out', uploadId, filename));
    expect(written.size).toBe(filesize);
  }
}, 120_000);

test.each([
  [{ url: 'https://example.com/one.jpg?sig=a' }, 'destination'],
  [{ bucket: 'photos', key: 'out/one.jpg' }, 'destination.key'],
  [{ bucket: 'unknown', key: 'out/{name}' }, 'destination.bucket'],
])('a batch with the destination %j is refused', async (destination, field) => {
  const response = await send('POST', '/v1/batches', { body: { enhancements: [{ destination }] } });
  expect([response.status, (await response.json()).field]).toEqual([
    400,
    expect.stringContaining(`enhancements[0].${field}`),
  ]);
});

test('the command line creates a batch with a destination, and refuses an address for all items', async () => {
  const { lines } = await burnish('create', '--destination', 'photos/out/{enhancementId}/{name}', '--json');
  expect(JSON.parse(lines[0]!).enhancements).toEqual([
    { destination: { bucket: 'photos', key: 'out/{enhancementId}/{name}' } },
  ]);
  const refused = burnish('create', '--destination', 'https://example.com/one.jpg?sig=a');
  await expect(refused).rejects.toThrow('A presigned URL takes one result.');
});

test('a repetition adds only files that came meanwhile', async () => {
  const id = await create();
  await put('later/1.jpg', 'j');
  expect(await addPrefix(id, { bucket: 'photos', prefix: 'later/' })).toEqual([200, { added: 1, repeated: 0 }]);
  await put('later/2.jpg', 'j');
  expect(await addPrefix(id, { bucket: 'photos', prefix: 'later/' })).toEqual([200, { added: 1, repeated: 1 }]);
});

test('a prefix with more files than a page of the bucket adds each once', async () => {
  const id = await create();
  for (let number = 0; number < 1_005; number += 1) await put(`many/${number}.jpg`, 'j');
  expect(await addPrefix(id, { bucket: 'photos', prefix: 'many/' })).toEqual([200, { added: 1_005, repeated: 0 }]);
  const keys = (await manifest(id)).map(({ key }) => key);
  expect([keys.length, new Set(keys).size]).toEqual([1_005, 1_005]);
}, 60_000);

test('a line with a bucket and a key becomes an item, beside an address', async () => {
  const id = await create();
  const items = [{ bucket: 'photos', key: 'in/1.jpg', reference: 'a' }, { url: 'https://example.com/1.jpg' }];
  expect(await add(id, ...items)).toEqual([200, { added: 2, repeated: 0 }]);
  expect(await add(id, ...items)).toEqual([200, { added: 0, repeated: 2 }]);
  expect(await addPrefix(id, { bucket: 'photos', prefix: 'in/2' })).toEqual([200, { added: 1, repeated: 0 }]);
  expect((await manifest(id)).slice(0, 2)).toMatchObject([
    { key: 'photos/in/1.jpg', bucket: 'photos', url: null, reference: 'a' },
    { key: 'https://example.com/1.jpg', bucket: null, url: 'https://example.com/1.jpg' },
  ]);
});

test('an item without an object fails with its code, and a retry reads the object that came meanwhile', async () => {
  const id = await create({ samples: 0 });
  await add(id, { bucket: 'photos', key: 'absent/1.jpg' });
  await send('POST', `/v1/batches/${id}/close`);
  await ends(id);
  expect(await manifest(id)).toMatchObject([{ state: 'FAILED', errorCode: 'SOURCE_MISSING', credits: 0 }]);
  await put('absent/1.jpg', await jpeg(91));
  expect((await send('POST', `/v1/batches/${id}/retry`)).status).toBe(202);
  await poll(async () => (await manifest(id))[0].state, { timeout: 40_000 }).toBe('FINISHED');
  await ends(id);
  const again = await send('POST', `/v1/batches/${id}/retry`);
  expect([again.status, await again.json()]).toMatchObject([
    409,
    { code: 'CONFLICT', detail: 'The batch is FINISHED. The batch has no failed item.' },
  ]);
}, 90_000);

test('an item of a bucket that the operator removed fails with BUCKET_REFUSED', async () => {
  await register('gone', s3.env['AWS_SECRET_ACCESS_KEY']!);
  const id = await create({ samples: 1 });
  await add(id, { bucket: 'gone', key: 'in/1.jpg' });
  await living.gateway.records.buckets.remove(living.gateway.account.id, 'gone');
  await send('POST', `/v1/batches/${id}/close`);
  await poll(async () => (await manifest(id))[0], { timeout: 40_000 }).toMatchObject({
    state: 'FAILED',
    errorCode: 'BUCKET_REFUSED',
  });
}, 60_000);

describe('lines are refused by their number', () => {
  let id: string;
  beforeAll(async () => {
    id = await create();
  });

  test.each([
    ['an unknown bucket', { bucket: 'unknown', key: 'a.jpg' }, 'The account has no bucket unknown'],
    ['a bucket without a key', { bucket: 'photos' }, 'The line is not valid.'],
    ['a bucket and an address', { bucket: 'photos', key: 'a', url: 'https://example.com/' }, 'The line is not valid.'],
    ['a key with ..', { bucket: 'photos', key: '../a.jpg' }, 'Field key has the value "../a.jpg".'],
    ['a long key of an address', { url: 'https://example.com/', key: 'k'.repeat(201) }, 'Field key has the value "kkk'],
  ])('%s', async (_what, item, detail) => {
    const [status, problem] = await add(id, { bucket: 'photos', key: 'in/1.jpg' }, item);
    expect([status, problem.code, problem.field]).toEqual([400, 'BAD_USER_INPUT', 'line 2']);
    expect(problem.detail).toContain(`Line 2: ${detail}`);
  });
});

describe('a prefix', () => {
  let empty: string;
  beforeAll(async () => {
    empty = await create();
  });

  test('without files adds nothing', async () => {
    expect(await addPrefix(empty, { bucket: 'photos', prefix: 'never/' })).toEqual([200, { added: 0, repeated: 0 }]);
  });

  test.each([
    [{ bucket: 'unknown' }, 'bucket'],
    [{ bucket: 'photos', prefix: '/in' }, 'prefix'],
    [{ bucket: 'photos', prefix: 'in/../' }, 'prefix'],
    [{ prefix: 'in/' }, 'bucket'],
  ])('in %j is refused with the field', async (body, field) => {
    const [status, problem] = await addPrefix(empty, body);
    expect([status, problem.code, problem.field]).toEqual([400, 'BAD_USER_INPUT', field]);
  });

  test('is refused in a batch or a bucket of another account', async () => {
    const { foreignKey: key } = living.gateway;
    expect(await addPrefix(empty, { bucket: 'photos' }, { key })).toMatchObject([404, { code: 'NOT_FOUND' }]);
    const { id } = await (await send('POST', '/v1/batches', { body: { enhancements: [{}] }, key })).json();
    expect(await addPrefix(id, { bucket: 'photos' }, { key })).toMatchObject([400, { field: 'bucket' }]);
  });

  test('with a key that no upload accepts is refused with the key', async () => {
    await put('odd/\u007f.jpg', 'j');
    const [status, problem] = await addPrefix(empty, { bucket: 'photos', prefix: 'odd/' });
    expect([status, problem.field, problem.detail]).toEqual([
      400,
      'prefix',
      expect.stringContaining('which Burnish cannot read'),
    ]);
  });

  test('with more files than the batch has room for is refused', async () => {
    const id = await create();
    await living.gateway.database.orm.update(batches).set({ items: 99_999 }).where(eq(batches.id, id));
    const [status, problem] = await addPrefix(id, { bucket: 'photos', prefix: 'in/' });
    expect([status, problem.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(problem.detail).toContain('A batch has at most 100,000 items.');
  });

  test('is refused in a closed batch', async () => {
    const id = await create();
    await send('POST', `/v1/batches/${id}/close`);
    expect(await addPrefix(id, { bucket: 'photos', prefix: 'in/' })).toMatchObject([409, { code: 'CONFLICT' }]);
  });

  test('with the Idempotency-Key of another prefix is refused, and a repetition finds new files', async () => {
    const id = await create();
    await put('keyed/1.jpg', 'j');
    const files = { bucket: 'photos', prefix: 'keyed/' };
    expect(await addPrefix(id, files, { once: 'prefix' })).toMatchObject([200, { added: 1 }]);
    await put('keyed/2.jpg', 'j');
    expect(await addPrefix(id, files, { once: 'prefix' })).toEqual([200, { added: 1, repeated: 1 }]);
    const other = await addPrefix(id, { bucket: 'photos', prefix: 'in/' }, { once: 'prefix' });
    expect(other).toMatchObject([422, { code: 'IDEMPOTENCY_KEY_REUSED' }]);
  });

  test('over GraphQL and the client adds the same items', async () => {
    const id = await create();
    const document =
      'mutation ($id: ID!, $input: BatchPrefixInput!) { addBatchPrefix(id: $id, input: $input) { added repeated } }';
    const call = (input: object) => graphql(living.gateway, document, { variables: { id, input } });
    const { data } = await call({ bucket: 'photos', prefix: 'in/' });
    expect(data.addBatchPrefix).toEqual({ added: 11, repeated: 0 });
    expect((await call({ bucket: 'unknown' })).errors![0]!.extensions).toMatchObject({ field: 'input.bucket' });
    const { url: baseUrl, key: apiKey } = living.gateway;
    const client = new Burnish({ baseUrl, apiKey });
    expect(await client.batches.addPrefix(id, { bucket: 'photos', prefix: 'in' })).toEqual({ added: 1, repeated: 11 });
    expect(await client.batches.add(id, [{ bucket: 'photos', key: 'in/1.jpg' }])).toEqual({ added: 0, repeated: 1 });
  });

  test('of the command line adds the files of the bucket', async () => {
    const id = await create();
    const files = ['--bucket', 'photos', '--prefix', 'in/'];
    expect((await burnish('add', id, ...files)).lines).toEqual(['11 files added, 0 already in the batch.']);
    const again = await burnish('add', id, 'https://example.com/1.jpg', ...files, '--json');
    expect(again.lines).toEqual(['{"added":1,"repeated":11,"problems":[]}']);
    await expect(burnish('add', id, '--prefix', 'in/')).rejects.toThrow('or a registered bucket with --bucket.');
  });

  test('in a bucket whose keys no longer work is refused with BUCKET_REFUSED', async () => {
    const [status, { code, detail }] = await addPrefix(empty, { bucket: 'locked' });
    expect([status, code]).toEqual([422, 'BUCKET_REFUSED']);
    expect(detail).toContain('The bucket locked refuses access');
  });

  test('in a bucket that is away gets UNAVAILABLE, and the repetition adds the files', async () => {
    const id = await create();
    await s3.kill();
    const answer = await addPrefix(id, { bucket: 'photos', prefix: 'in/' });
    expect(answer).toMatchObject([
      503,
      { code: 'UNAVAILABLE', detail: 'The bucket photos does not answer.', remedy: 'Repeat the request later.' },
    ]);
    await s3.start();
    expect(await addPrefix(id, { bucket: 'photos', prefix: 'in/' })).toEqual([200, { added: 11, repeated: 0 }]);
  }, 60_000);
});
