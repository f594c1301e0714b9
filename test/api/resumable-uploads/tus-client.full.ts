import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DetailedError, Upload } from 'tus-js-client';
import { cuttingProxy, type CuttingProxy } from '../../support/cutting-proxy.ts';
import { poll } from '../../support/poll.ts';
import { pdf } from '../support/files.ts';
import { testGateway, useGateway, type TestGateway } from '../support/gateway.ts';
import { tusRequests } from './tus-requests.ts';

/* A client of others (tus-js-client) against two gateways of one instance. */

const MB = 1_000_000;
const first = useGateway();
const { storedBytes, offsetOf } = tusRequests(first);
let second: TestGateway;
let proxy: CuttingProxy;
let connections = 0;
let cutAfter: () => number | undefined = () => undefined;

beforeAll(async () => {
  second = await testGateway({ stores: first.records, storage: first.storage, client: first.temporal.client });
  proxy = await cuttingProxy({
    port: () => ((connections += 1) % 2 === 0 ? first : second).gateway.port,
    cutAfter: () => cutAfter(),
  });
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await second?.[Symbol.asyncDispose]();
});

interface Outcome {
  path: string;
  /** Offset of each PATCH in bytes */
  resumedAt: number[];
}

function upload(file: Buffer, options: Partial<ConstructorParameters<typeof Upload>[1]> = {}): Promise<Outcome> {
  const resumedAt: number[] = [];
  return new Promise((resolve, reject) => {
    const sending: Upload = new Upload(file, {
      endpoint: `${proxy.url}/v1/tus`,
      retryDelays: Array.from({ length: 40 }, () => 50),
      headers: { 'x-api-key': first.key },
      metadata: { filename: 'long.pdf', filetype: 'application/pdf' },
      onBeforeRequest: (request) => {
        if (request.getMethod() === 'PATCH') resumedAt.push(Number(request.getHeader('Upload-Offset')));
      },
      onError: reject,
      onSuccess: () => resolve({ path: new URL(sending.url!).pathname, resumedAt }),
      ...options,
    });
    sending.start();
  });
}

test('a file arrives whole over a network that cuts each connection, by two gateways in turn', async () => {
  const file = pdf(40 * MB);
  cutAfter = () => 5 * MB;
  const before = proxy.cuts;
  const { path, resumedAt } = await upload(file, { chunkSize: 15 * MB });
  expect(proxy.cuts - before).toBeGreaterThanOrEqual(7);
  expect((await storedBytes(path)).equals(file)).toBe(true);
  expect(first.temporal.signals).toContain(`partsComplete upload/${path.split('/').at(-1)}`);
  // The offset never falls, and each connection adds to it. A fast client may read it before the bytes of a cut are stored.
  expect(resumedAt).toEqual([...resumedAt].sort((a, b) => a - b));
  expect(new Set(resumedAt).size).toBeGreaterThanOrEqual(8);
});

test('a client finds an upload again at the other gateway by its address', async () => {
  const file = pdf(10 * MB);
  cutAfter = () => 4 * MB;
  await expect(upload(file, { retryDelays: null })).rejects.toBeInstanceOf(DetailedError);
  cutAfter = () => undefined;
  const uploads = await (await first.fetch('/v1/uploads?limit=1')).json();
  const created = `/v1/tus/${uploads.items[0].id}`;
  await poll(() => offsetOf(created), { timeout: 10_000 }).toBeGreaterThan(3 * MB);
  const { path, resumedAt } = await upload(file, { uploadUrl: proxy.url + created });
  expect(resumedAt[0]).toBeGreaterThan(3 * MB);
  expect(await offsetOf(path)).toBe(file.byteLength);
  expect((await storedBytes(path)).equals(file)).toBe(true);
});

test('a client that gives up ends its upload', async () => {
  cutAfter = () => undefined;
  first.temporal.updates.length = 0;
  let sending: Upload | undefined;
  const path = await new Promise<string>((resolve, reject) => {
    sending = new Upload(pdf(10 * MB), {
      endpoint: `${proxy.url}/v1/tus`,
      headers: { 'x-api-key': first.key },
      chunkSize: MB,
      onChunkComplete: () => resolve(new URL(sending!.url!).pathname),
      onError: reject,
    });
    sending.start();
  });
  first.temporal.onUpdate = async ({ workflowId }) => {
    const found = (await first.records.uploads.find(workflowId.slice('upload/'.length)))!;
    const tombstone = { ...found, revision: 2, status: 'UPLOAD_DELETED' as const };
    await first.records.uploads.project(tombstone);
    return tombstone;
  };
  await sending!.abort(true);
  expect(first.temporal.updates.map(({ name }) => name)).toEqual(['deleteUpload']);
  expect((await first.fetch(path, { method: 'HEAD', headers: { 'Tus-Resumable': '1.0.0' } })).status).toBe(404);
});
