import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { Burnish } from '../src/burnish.ts';
import { pdf } from '../../../test/api/support/files.ts';
import { useGateway } from '../../../test/api/support/gateway.ts';
import { tusRequests } from '../../../test/api/resumable-uploads/tus-requests.ts';
import { cuttingProxy } from '../../../test/support/cutting-proxy.ts';
import { poll } from '../../../test/support/poll.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { useForFile } from '../../../test/support/use-for.ts';

const MB = 1_000_000;
const gateway = useGateway();
const { storedBytes, offsetOf } = tusRequests(gateway);
const proxy = useForFile(() => cuttingProxy({ port: () => gateway.gateway.port, cutAfter: () => cutAfter }));
let cutAfter: number | undefined;

beforeEach(() => {
  cutAfter = undefined;
  gateway.temporal.updates.length = 0;
  gateway.temporal.onUpdate = async ({ workflowId }) => {
    const found = (await gateway.records.uploads.find(workflowId.slice('upload/'.length)))!;
    const tombstone = { ...found, revision: 2, status: 'UPLOAD_DELETED' as const };
    await gateway.records.uploads.project(tombstone);
    return tombstone;
  };
});

const client = (): Burnish => new Burnish({ baseUrl: proxy.url, apiKey: gateway.key, maxRetries: 2 });
const blob = (bytes: Buffer): Blob => new Blob([new Uint8Array(bytes)]);
const pathOf = (id: string): string => `/v1/tus/${id}`;
const deletions = (): string[] => gateway.temporal.updates.map(({ name }) => name);

test('a large file arrives whole after more cuts than the client retries, and with its order', async () => {
  const file = pdf(45 * MB);
  cutAfter = 6 * MB;
  const before = proxy.cuts;
  const sent: number[] = [];
  const ids: string[] = [];
  const order = { enhancements: [{ targetResolution: 300 }], customMetadata: { name: 'Größe' }, reference: 'ü-1' };
  const { id } = await client().uploads.create(blob(file), {
    filename: 'Prüfung.pdf',
    ...order,
    onCreated: (made) => ids.push(made),
    onProgress: (bytes, total) => sent.push(bytes / total),
  });
  expect(proxy.cuts - before).toBeGreaterThanOrEqual(7);
  expect((await storedBytes(pathOf(id))).equals(file)).toBe(true);
  expect(ids).toEqual([id]);
  expect(sent.at(-1)).toBe(1);
  const record = await client().uploads.get(id);
  expect(record).toMatchObject({
    originalFilename: 'Prüfung.pdf',
    reference: 'ü-1',
    customMetadata: { name: 'Größe' },
  });
  expect(record.enhancements[0]!.parameters).toMatchObject({ targetResolution: 300 });
});

test('the same call with its key continues an upload that an earlier process left', async () => {
  const file = pdf(20 * MB);
  cutAfter = 9 * MB;
  const idempotencyKey = 'left';
  const impatient = new Burnish({ baseUrl: proxy.url, apiKey: gateway.key, maxRetries: 0 });
  const first = impatient.uploads.create(blob(file), { filename: 'a.pdf', idempotencyKey });
  await expect(first).rejects.toMatchObject({ code: 'UNREACHABLE' });
  const { items } = await (await gateway.fetch('/v1/uploads?limit=1')).json();
  await poll(() => offsetOf(pathOf(items[0].id)), { timeout: 10_000 }).toBeGreaterThan(0);
  const left = await offsetOf(pathOf(items[0].id));
  cutAfter = undefined;
  const sent: number[] = [];
  const { id } = await client().uploads.create(blob(file), {
    filename: 'a.pdf',
    idempotencyKey,
    onProgress: (bytes) => sent.push(bytes),
  });
  expect(id).toBe(items[0].id);
  expect(sent[0]).toBeGreaterThan(left);
  expect((await storedBytes(pathOf(id))).equals(file)).toBe(true);
});

test('an unsupported file is refused by its first bytes with its code, and its upload is deleted', async () => {
  const call = client().uploads.create(blob(Buffer.alloc(9 * MB, 'x')), { filename: 'a.txt' });
  await expect(call).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 });
  expect(deletions()).toEqual(['deleteUpload']);
});

test.each([
  ['small', 1, 'POST', []],
  ['large', 20, 'PATCH', ['deleteUpload']],
])('a %s file that changes while it is sent is named, and its rest is not sent', async (_, size, method, expected) => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'a.pdf');
  await writeFile(path, pdf(size * MB));
  const methods: unknown[] = [];
  const changing: typeof fetch = async (...call) => {
    methods.push(call[1]?.method);
    if (call[1]?.method === method) await appendFile(path, 'more');
    return fetch(...call);
  };
  const burnish = new Burnish({ baseUrl: proxy.url, apiKey: gateway.key, maxRetries: 2, fetch: changing });
  await expect(burnish.uploads.create(path)).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    message: expect.stringMatching(/^The file has changed while it was sent/),
  });
  expect(methods.filter((each) => each === method)).toHaveLength(1);
  expect(deletions()).toEqual(expected);
});

test.each([
  ['without a key of its own is deleted', {}, ['deleteUpload']],
  ['with a key of its own stays for the next call', { idempotencyKey: 'later' }, []],
])('an aborted upload %s', async (_what, key, expected) => {
  const abort = new AbortController();
  const call = client().uploads.create(blob(pdf(60 * MB)), {
    filename: 'a.pdf',
    signal: abort.signal,
    onProgress: (bytes) => bytes > 10 * MB && abort.abort(new Error('no longer needed')),
    ...key,
  });
  await expect(call).rejects.toThrow('no longer needed');
  expect(deletions()).toEqual(expected);
});

test('an upload that failed meanwhile ends the call with the reason', async () => {
  const file = pdf(20 * MB);
  cutAfter = 5 * MB;
  const call = client().uploads.create(blob(file), {
    filename: 'a.pdf',
    onCreated: (id) => void fail(id),
  });
  const fail = async (id: string): Promise<void> => {
    const found = (await gateway.records.uploads.find(id))!;
    const failed = { status: 'UPLOAD_FAILED', errorCode: 'UPLOAD_EXPIRED', errorDetail: 'Too late.' } as const;
    await gateway.records.uploads.project({ ...found, revision: 1, ...failed });
  };
  await expect(call).rejects.toMatchObject({
    code: 'UPLOAD_EXPIRED',
    status: 410,
    message: expect.stringMatching(/^Too late\./),
  });
});

test('the client gives up when no byte arrives any more, and the upload stays', async () => {
  // Headers pass, and no part of a body.
  cutAfter = 1_000;
  const call = client().uploads.create(blob(pdf(20 * MB)), { filename: 'a.pdf' });
  await expect(call).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect(deletions()).toEqual([]);
});
