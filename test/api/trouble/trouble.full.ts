import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Enhancement, Failure, type Upload } from '@burnish/contract';
import { DatabaseUnavailable } from '../../../src/database/unavailable.ts';
import { namingTrouble, findUnavailablePart } from '../../../src/api/trouble/unavailable.ts';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { StorageTrouble } from '../../../src/storage/storage-trouble.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { buildPdf, imagePage } from '../../../packages/pdf/test/build-pdf.ts';
import { flateImage, photograph } from '../../../packages/engine/test/pdf/pictures.ts';
import { analyzeBytes, DOUBLED, enhanceBytes } from '../../../packages/engine/test/pdf/support.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { openMarkedStore, unmount } from '../../support/marked-store.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { resultOf, uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway, type TestResponse } from '../support/gateway.ts';
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

  /** Two ways in which a folder can be lost. Each returns a function that brings it back. */
  const LOSSES: [string, () => Promise<() => Promise<void>>][] = [
    ['whose mount point is empty', () => unmount(root)],
    [
      'whose folder is a file',
      async () => {
        const remount = await unmount(root);
        await rm(root, { recursive: true });
        await writeFile(root, 'a file is in the way');
        return remount;
      },
    ],
  ];
  const AWAY = [503, 'UNAVAILABLE', 'Storage does not respond', true, true];

  /** GET operations of an upload and an enhancement that read only records. */
  const OF_RECORDS = ['getUpload', 'listTimelineEntries', 'followUpload', 'getEnhancement'];
  /** Paths of all other GET operations of one upload or enhancement. */
  async function readsOfFiles(uploadId: string, enhancementId: string): Promise<string[]> {
    const { paths } = await (await gateway.fetch('/openapi.json')).json();
    const operations = Object.entries<{ get?: { operationId: string } }>(paths).filter(
      ([path, { get }]) =>
        get && /^\/v1\/(uploads|enhancements)\/\{id\}/.test(path) && !OF_RECORDS.includes(get.operationId),
    );
    // The image is object 10 of the PDF, on its only page.
    return operations.map(([path]) =>
      path
        .replace('{id}', path.startsWith('/v1/uploads') ? uploadId : enhancementId)
        .replace('{number}', '10')
        .replace('{page}', '1'),
    );
  }

  /** An upload of a PDF and its enhancement, both without previews yet */
  async function enhancedPdf(): Promise<{ upload: Upload; enhancement: Enhancement }> {
    const bytes = buildPdf(imagePage(flateImage(photograph(120, 90)), 120, 90));
    const { analysis } = await analyzeBytes(bytes, join(folder.path, 'analyzed'));
    const made = await enhanceBytes(bytes, join(folder.path, 'made'), DOUBLED);
    const there = { ...gateway, storage };
    const upload = await uploadOf(there, bytes, 'application/pdf', {
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      analysis,
    });
    const result = await readFile(made.outputPath);
    return { upload, enhancement: await resultOf(there, upload, result, 'application/pdf', { parameters: DOUBLED }) };
  }
  const addressed = async (path: string, field: string): Promise<string> => {
    const url = new URL((await (await gateway.fetch(path)).json())[field]);
    return url.pathname + url.search;
  };

  describe.each(LOSSES)('of storage %s', (_way, lose) => {
    test('refuses previews, reports, estimates and downloads with 503, in REST and in GraphQL', async () => {
      const { upload, enhancement } = await enhancedPdf();
      const reads = await readsOfFiles(upload.id, enhancement.id);
      expect(reads.filter((path) => path.endsWith('/report.pdf'))).toHaveLength(2);
      reads.push(await addressed(`/v1/uploads/${upload.id}`, 'url'));
      reads.push(await addressed(`/v1/enhancements/${enhancement.id}`, 'fullUrl'));
      const estimate = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"enhancements":[{}]}',
      };
      const estimated = `/v1/uploads/${upload.id}/estimate`;
      const remount = await lose();
      for (const path of reads) expect([path, await problem(await gateway.fetch(path))]).toEqual([path, AWAY]);
      expect(await problem(await gateway.fetch(estimated, estimate))).toEqual(AWAY);
      const query = `{ enhancementEstimate(uploadId: "${upload.id}", input: {}) { credits } }`;
      expect((await graphql(query)).extensions).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 10 });
      await remount();
      const download = async (): Promise<number> => (await gateway.fetch(reads.at(-2)!)).status;
      expect(await download()).toBe(200);
      await storage.delete(upload.objectKey!);
      expect(await download()).toBe(404);
    });

    test('refuses an upload and a signed PUT with 503, and keeps nothing of them', async () => {
      const upload = await storedUpload(gateway, { status: 'UPLOAD_PENDING', objectKey: null, file: null });
      const body = await jpeg();
      const signer = createUrlSigner({ keys: oneKey('a secret for tests only'), now: Date.now });
      const claims = { size: body.byteLength, type: 'image/jpeg' };
      const path = signer.sign(`/uploads/${upload.id}`, claims, Date.now() + 60_000);
      const init = { method: 'PUT', headers: { 'Content-Type': 'image/jpeg' }, body: new Uint8Array(body), key: null };
      const remount = await lose();
      expect(await problem(await send())).toEqual(AWAY);
      expect(await problem(await gateway.fetch(path, init))).toEqual(AWAY);
      expect(await readdir(root).catch(() => [])).toEqual([]);
      await remount();
      gateway.temporal.onUpdate = () => upload;
      expect((await gateway.fetch(path, init)).status).toBe(200);
      expect((await send()).status).toBe(202);
    });
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
