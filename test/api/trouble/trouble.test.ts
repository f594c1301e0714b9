import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DatabaseUnavailable } from '../../../src/database/unavailable.ts';
import { Failure } from '../../../src/domain/failures.ts';
import { namingTrouble, findUnavailablePart } from '../../../src/api/trouble/unavailable.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { StorageTrouble } from '../../../src/storage/storage-trouble.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { openMarkedStore, unmount } from '../../support/marked-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { jpeg } from '../support/files.ts';
import { testGateway } from '../support/gateway.ts';
import type { TestGateway, TestResponse } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';

const withCode = (code: string): Error => Object.assign(new Error('away'), { code });
const grpc = (code: number): Error => Object.assign(new Error('away'), { code, details: '', metadata: {} });

describe('the classification of errors as unavailable parts', () => {
  test.each([
    ['a refused connection', new DatabaseUnavailable(withCode('ECONNREFUSED')), 'database'],
    [
      'a wrapped loss of the database',
      new Error('Failed query', { cause: new DatabaseUnavailable(undefined) }),
      'database',
    ],
    ['a wrapped failure of storage', new Error('Failed', { cause: new StorageTrouble('Storage failed.') }), 'storage'],
    ['a full disk of the database', new Error('Failed query', { cause: withCode('53100') }), 'disk'],
    ['a full disk of storage', new Failure('INTERNAL', { cause: withCode('ENOSPC') }), 'disk'],
    ['a workflow service that is away', grpc(14), 'temporal'],
    ['a workflow service that is slow', grpc(4), 'temporal'],
  ])('%s', (_what, error, part) => {
    expect(findUnavailablePart(error)).toBe(part);
    expect(namingTrouble(error)).toMatchObject({ code: 'UNAVAILABLE', retryable: true });
  });

  test.each([
    ['a constraint that is broken', withCode('23505')],
    ['a refused connection that neither storage nor the database has named', withCode('ECONNREFUSED')],
    ['a workflow that is not there', grpc(5)],
    ['a fault of ours', new TypeError('x is not a function')],
    ['a refusal of the file', new Failure('CORRUPT_FILE', { cause: withCode('ENOSPC') })],
  ])('excludes %s', (_what, error) => {
    expect(namingTrouble(error)).toBe(error);
  });
});

describe('an unavailable part', () => {
  let gateway: TestGateway;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let root: string;
  let storage: ObjectStore;

  beforeEach(async () => {
    folder = await temporaryFolder();
    root = join(folder.path, 'objects');
    storage = await openMarkedStore(root);
    gateway = await testGateway({ storage });
  });
  afterEach(async () => {
    await gateway[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  const problem = async (response: TestResponse): Promise<unknown[]> => {
    const { code, detail, retryable } = await response.json();
    return [response.status, code, detail.split('.')[0], retryable, Number(response.headers.get('retry-after')) > 0];
  };
  const send = async (): Promise<TestResponse> =>
    gateway.fetch('/v1/uploads', {
      method: 'POST',
      headers: { 'Content-Type': 'image/jpeg' },
      body: new Uint8Array(await jpeg()),
    });
  const graphql = async (query: string): Promise<{ extensions: Record<string, unknown> }> => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
    return (await response.json()).errors[0];
  };
  async function loseStorage(): Promise<void> {
    await rm(root, { recursive: true });
    await writeFile(root, 'a file is in the way');
  }

  test('of storage: an upload is refused with 503', async () => {
    await loseStorage();
    expect(await problem(await send())).toEqual([503, 'UNAVAILABLE', 'Storage does not respond', true, true]);
  });

  test('of storage: a signed PUT is refused with 503', async () => {
    const upload = await storedUpload(gateway, { status: 'UPLOAD_PENDING', objectKey: null, file: null });
    const body = await jpeg();
    const signer = createUrlSigner({ keys: oneKey('a secret for tests only'), now: Date.now });
    const claims = { size: body.byteLength, type: 'image/jpeg' };
    const path = signer.sign(`/uploads/${upload.id}`, claims, Date.now() + 60_000);
    await loseStorage();
    const init = { method: 'PUT', headers: { 'Content-Type': 'image/jpeg' }, body: new Uint8Array(body), key: null };
    const answer = await problem(await gateway.fetch(path, init));
    expect(answer).toEqual([503, 'UNAVAILABLE', 'Storage does not respond', true, true]);
  });

  test('of storage whose mount point is empty: uploads, downloads and previews are refused with 503, and nothing is lost', async () => {
    const upload = await storedUpload(gateway);
    await storage.put(upload.objectKey!, Readable.from([await jpeg()]), { maxBytes: 1_000_000 });
    const { url } = await (await gateway.fetch(`/v1/uploads/${upload.id}`)).json();
    const download = (): Promise<TestResponse> => gateway.fetch(new URL(url).pathname + new URL(url).search);
    const preview = (): Promise<TestResponse> => gateway.fetch(`/v1/uploads/${upload.id}/preview`);
    expect((await download()).status).toBe(200);
    const remount = await unmount(root);
    const away = [503, 'UNAVAILABLE', 'Storage does not respond', true, true];
    for (const ask of [download, preview, send]) expect(await problem(await ask())).toEqual(away);
    expect(await readdir(root)).toEqual([]);
    await remount();
    expect((await download()).status).toBe(200);
    expect((await send()).status).toBe(202);
    await storage.delete(upload.objectKey!);
    expect((await download()).status).toBe(404);
  });

  test('of the database: reads and changes are refused with 503, in REST and in GraphQL', async () => {
    await gateway.fetch('/v1/credits');
    await gateway.database.close();
    // The gateway's own end finds it closed.
    gateway.database.close = () => Promise.resolve();
    const away = [503, 'UNAVAILABLE', 'The database does not respond', true, true];
    expect(await problem(await gateway.fetch('/v1/uploads'))).toEqual(away);
    expect(await problem(await send())).toEqual(away);
    const error = await graphql('{ credits { remainingCreditsThisPeriod } }');
    expect(error.extensions).toMatchObject({ code: 'UNAVAILABLE', retryable: true, retryAfter: 5 });
  });

  test('of Temporal: a start is refused with 503, in REST and in GraphQL', async () => {
    gateway.temporal.onStart = () => {
      throw grpc(14);
    };
    const answer = await problem(await send());
    expect(answer).toEqual([503, 'UNAVAILABLE', 'The workflow service cannot be reached', true, true]);
    const error = await graphql('mutation { createUploadFromUrl(input: { url: "https://example.com/a.jpg" }) { id } }');
    expect(error.extensions).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5 });
  });
});
