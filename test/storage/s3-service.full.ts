import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { openObjectStore } from '../../src/storage/open-object-store.ts';
import { createS3Clients, type S3Settings } from '../../src/storage/s3/s3-client.ts';
import { startS3Server, type S3Server } from '../support/s3-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { chunks, readAll, sha256 } from './bodies.ts';

const MAX = { maxBytes: 200_000_000 };
const AUTO: S3Settings = { publicUrl: null, pathStyle: null };

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
  Object.assign(process.env, server.env);
});
afterAll(async () => await server?.[Symbol.asyncDispose]());

describe('the S3 store', () => {
  let bucket: string;
  let scratch: TemporaryFolder;
  let store: ObjectStore;
  let client: S3Client;
  const open = (storage: string, s3 = AUTO): Promise<ObjectStore> =>
    openObjectStore({ storage, s3, scratchDir: scratch.path, environment: process.env });
  beforeEach(async () => {
    bucket = await server.createBucket();
    scratch = await temporaryFolder();
    store = await open(`s3://${bucket}`);
    client = createS3Clients(AUTO, process.env).own;
  });
  afterEach(async () => await scratch[Symbol.asyncDispose]());

  const scratchFiles = async (): Promise<string[]> =>
    (await readdir(scratch.path, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const parts = async (): Promise<number> =>
    ((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []).length;
  const large = Buffer.alloc(20_000_000, 'burnish');

  it('uploads a large body in parts, and returns it whole and in ranges', async () => {
    const stored = await store.put('a/large', chunks(large.subarray(0, 9_000_000), large.subarray(9_000_000)), MAX);
    expect(stored).toMatchObject({ size: large.length, sha256: sha256(large) });
    expect(await store.head('a/large')).toEqual(stored);
    expect(sha256(await readAll(await store.get('a/large')))).toBe(stored.sha256);
    const range = { start: 8_388_600, end: 8_388_620 };
    expect(await readAll(await store.get('a/large', range))).toEqual(large.subarray(range.start, range.end + 1));
    expect(await store.copy('a/large', 'b/copy')).toMatchObject({ size: large.length, sha256: stored.sha256 });
    expect(await parts()).toBe(0);
    expect(await scratchFiles()).toEqual([]);
  });

  it('removes uploaded parts when a put is aborted', async () => {
    const controller = new AbortController();
    const path = join(scratch.path, 'file');
    await writeFile(path, large);
    const put = store.put('a/large', chunks(large), { ...MAX, signal: controller.signal });
    put.catch(() => undefined);
    while ((await parts()) === 0 && (await store.head('a/large')) === undefined) await delay(1);
    controller.abort(new Error('cancelled'));
    await put.catch((error: unknown) => expect(error).toMatchObject({ message: 'cancelled' }));
    while ((await parts()) > 0) await delay(5);
    expect(await scratchFiles()).toEqual(['file']);
  });

  it('sweeps parts of ended processes, and none that may still be in progress', async () => {
    const target = { Bucket: bucket, Key: 'a/left.object' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    await client.send(new UploadPartCommand({ ...target, UploadId, PartNumber: 1, Body: Buffer.alloc(1000) }));
    expect(await store.sweepUnfinished(3_600_000)).toBe(0);
    expect(await parts()).toBe(1);
    await delay(1100);
    expect(await store.sweepUnfinished(1000)).toBe(1);
    expect(await parts()).toBe(0);
  });

  it('uses only its own prefix', async () => {
    const [one, other] = [await open(`s3://${bucket}/one`), await open(`s3://${bucket}/other/`)];
    await one.put('a/b', chunks('one'), MAX);
    await other.put('a/b', chunks('other'), MAX);
    await one.deletePrefix('a');
    expect(await one.head('a/b')).toBeUndefined();
    expect(await other.head('a/b')).toMatchObject({ size: 5 });
    expect(await server.filesOf(bucket)).toHaveLength(1);
  });

  it('deletes more objects than one request can', async () => {
    // The server keeps each object as a file, and a file is written in a tenth of the time of a request.
    const folder = join(server.folderOf(bucket), 'a');
    await mkdir(folder);
    for (let i = 0; i < 1_001; i += 1) await writeFile(join(folder, `k${i}.object`), 'x');
    const list = new ListObjectsV2Command({ Bucket: bucket, Prefix: 'a/' });
    expect(await client.send(list)).toMatchObject({ IsTruncated: true });
    await store.deletePrefix('a');
    expect(await server.filesOf(bucket)).toEqual([]);
  });

  it('computes a missing hash, and replaces a wrong one on request', async () => {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a/silent.object', Body: 'bytes' }));
    const lie = { Bucket: bucket, Key: 'a/liar.object', Body: 'bytes', Metadata: { sha256: 'f'.repeat(64) } };
    await client.send(new PutObjectCommand(lie));
    const truth = sha256(Buffer.from('bytes'));
    expect(await store.head('a/silent')).toMatchObject({ size: 5, sha256: truth });
    expect(await store.copy('a/liar', 'a/checked', { verify: true })).toMatchObject({ sha256: truth });
    expect(await store.head('a/checked')).toMatchObject({ sha256: truth });
    await expect(store.withLocalFile('a/liar', async () => 1)).rejects.toThrow('other bytes');
  });

  it('downloads an object once for all its readers, and again after it is replaced', async () => {
    await store.put('a/b', chunks('older'), MAX);
    const [one, two] = await Promise.all([
      store.withLocalFile('a/b', async (path) => [path, await readFile(path, 'utf8')]),
      store.withLocalFile('a/b', async (path) => [path, await readFile(path, 'utf8')]),
    ]);
    expect(one).toEqual(two);
    expect(await store.withLocalFile('a/b', async (path) => path)).toBe(one[0]);
    await store.put('a/b', chunks('newer'), MAX);
    expect(await store.withLocalFile('a/b', (path) => readFile(path, 'utf8'))).toBe('newer');
    await store.delete('a/b');
    await expect(store.withLocalFile('a/b', async () => 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  describe('a signed URL for the PUT of a caller', () => {
    const grant = { size: 5, type: 'image/png', signedAtMs: Date.now(), validMs: 3_600_000 };
    const put = async (url: string, body = 'bytes', type = 'image/png'): Promise<number> =>
      (await fetch(url, { method: 'PUT', body, headers: { 'content-type': type } })).status;

    it('accepts its file, and the same grant gives the same URL', async () => {
      const url = await store.signPut!('a/b', grant);
      expect(await store.signPut!('a/b', grant)).toBe(url);
      expect(await put(url)).toBe(200);
      expect((await readAll(await store.get('a/b'))).toString()).toBe('bytes');
    });

    it('is refused for another length or type, and after its expiry', async () => {
      const url = await store.signPut!('a/b', grant);
      expect(await put(url, 'bytes!')).toBe(403);
      expect(await put(url, 'byte')).toBe(403);
      expect(await put(url, 'bytes', 'image/jpeg')).toBe(403);
      const over = { ...grant, signedAtMs: Date.now() - 3_601_000 };
      expect(await put(await store.signPut!('a/b', over))).toBe(403);
      expect(await store.head('a/b')).toBeUndefined();
    });

    it('has the public address of the service', async () => {
      const publicUrl = 'https://files.example.com';
      const url = new URL(await (await open(`s3://${bucket}`, { ...AUTO, publicUrl })).signPut!('a/b', grant));
      expect(url.origin).toBe(publicUrl);
      expect(url.pathname).toBe(`/${bucket}/a/b.object`);
    });
  });

  it.each([
    ['no such bucket', {}, 's3://not-there', /^Storage s3:\/\/not-there cannot be used: the bucket does not exist\.$/],
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'wrong' }, undefined, /access is refused/],
    ['nobody there', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9' }, undefined, /does not respond/],
  ])('reports in one sentence at the start that there is %s', async (_, env, place, sentence) => {
    const before = { ...process.env };
    Object.assign(process.env, env);
    try {
      const opening = open(place ?? `s3://${bucket}`);
      await expect(opening).rejects.toMatchObject({ name: 'StartupError' });
      await expect(opening).rejects.toThrow(sentence);
    } finally {
      Object.assign(process.env, before);
    }
  });

  it('repeats a call while the service is busy', async () => {
    let refused = 0;
    const proxy = createServer((_req, res) => {
      refused += 1;
      res.writeHead(503, { 'content-type': 'application/xml' }).end('<Error><Code>SlowDown</Code></Error>');
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const before = process.env['AWS_ENDPOINT_URL_S3'];
    process.env['AWS_ENDPOINT_URL_S3'] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      await expect(open(`s3://${bucket}`)).rejects.toThrow('cannot be used');
      expect(refused).toBe(3);
    } finally {
      process.env['AWS_ENDPOINT_URL_S3'] = before;
      proxy.close();
    }
  });
});
