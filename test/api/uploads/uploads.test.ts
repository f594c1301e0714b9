import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { timeCursor } from '../../../src/database/page.ts';
import { jpeg, pdf } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';

const gateway = useGateway();
let photo: Buffer;

beforeAll(async () => {
  photo = await jpeg();
});
beforeEach(() => {
  gateway.temporal.starts.length = 0;
});

const json = { 'Content-Type': 'application/json' };
const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});
const form = (fields: Record<string, string>, file: Buffer | null = photo, first = false): FormData => {
  const data = new FormData();
  if (first && file) data.set('file', new Blob([new Uint8Array(file)]), 'größe/photo 1.jpg');
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  if (!first && file) data.set('file', new Blob([new Uint8Array(file)]), 'größe/photo 1.jpg');
  return data;
};
const staged = (): Promise<unknown[]> => gateway.records.stagedFiles.olderThan(-1000);

describe('POST /v1/uploads', () => {
  test('with a URL starts one workflow, and answers 202 with a readable record', async () => {
    const response = await gateway.fetch(
      '/v1/uploads',
      post({
        source: { url: 'https://example.com/a/photo%201.jpg?token=x' },
        enhancements: [{ upscalingFactor: 'X2', maxCredits: 3 }, { mode: 'VIVID' }],
        webhookUrl: 'https://example.com/hook',
        maxCredits: 7,
        creditWait: 60,
      }),
    );
    expect(response.status).toBe(202);
    const body = await response.json();
    expect(response.headers.get('location')).toBe(`/v1/uploads/${body.id}`);
    expect(body).toMatchObject({
      status: 'UPLOAD_PROCESSING',
      subStatus: null,
      originalFilename: 'photo 1.jpg',
      url: null,
    });
    expect(body.enhancements.map(({ status }: { status: string }) => status)).toEqual(['QUEUED', 'QUEUED']);
    const again = await (await gateway.fetch(`/v1/uploads/${body.id}`)).json();
    expect(again.id).toBe(body.id);
    expect(again.enhancements.map(({ id }: { id: string }) => id)).toEqual(
      body.enhancements.map(({ id }: { id: string }) => id),
    );

    expect(gateway.temporal.starts).toHaveLength(1);
    const { type, options } = gateway.temporal.starts[0]!;
    expect(type).toBe('upload');
    expect(options).toMatchObject({
      workflowId: `upload/${body.id}`,
      taskQueue: 'burnish-main',
      requestEagerStart: true,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `photo 1.jpg · account ${gateway.account.id}`,
    });
    const [input] = options.args;
    expect(input).toMatchObject({
      plan: { name: 'Basic', maxResolution: 600, fairnessWeight: 2 },
      source: { kind: 'url' },
      initial: { revision: 0, webhookUrl: 'https://example.com/hook' },
    });
    expect(input.enhancements).toMatchObject([
      { parameters: { upscalingFactor: 'X2' }, maxCredits: 3, creditWaitMs: 60_000 },
      { parameters: { mode: 'VIVID' }, maxCredits: 7, creditWaitMs: 60_000 },
    ]);
    expect(input).toEqual(JSON.parse(JSON.stringify(input)));
  });

  test.each([['before'], ['behind']])('as a form accepts fields %s the file', async (place) => {
    const data = form({ enhancements: '[{"mode":"NATURAL"}]', creditWait: '0' }, photo, place === 'behind');
    const response = await gateway.fetch('/v1/uploads', { method: 'POST', body: data });
    const body = await response.json();
    expect([response.status, body.originalFilename]).toEqual([202, 'photo 1.jpg']);
    expect(body).toMatchObject({
      mimetype: 'image/jpeg',
      extension: 'jpg',
      filesize: photo.byteLength,
      filename: `${body.id}.jpg`,
    });
    const [input] = gateway.temporal.starts[0]!.options.args;
    const sha256 = createHash('sha256').update(photo).digest('hex');
    expect(input.source).toMatchObject({
      kind: 'stored',
      file: { size: photo.byteLength, sha256, mimetype: 'image/jpeg' },
    });
    expect(input.enhancements).toMatchObject([{ parameters: { mode: 'NATURAL' }, creditWaitMs: 0 }]);
    expect(gateway.temporal.starts[0]!.options['staticSummary']).toBe(
      `photo 1.jpg · image/jpeg · ${(photo.byteLength / 1e6).toFixed(1)} MB · account ${gateway.account.id}`,
    );
    expect(await gateway.storage.head(input.initial.objectKey!)).toMatchObject({ sha256 });
    expect(await staged()).toEqual([]);
  });

  test('returns the enhancements in the order of the request, now and later', async () => {
    const qualities = Array.from({ length: 20 }, (_, index) => 100 - index);
    const enhancements = qualities.map((outputQuality) => ({ outputQuality }));
    const response = await gateway.fetch(
      '/v1/uploads',
      post({ source: { url: 'https://example.com/a.jpg' }, enhancements }),
    );
    const made = await response.json();
    const read = await (await gateway.fetch(`/v1/uploads/${made.id}`)).json();
    for (const { enhancements: shown } of [made, read]) {
      expect(shown.map(({ parameters }: { parameters: object }) => parameters)).toEqual(enhancements);
    }
  });

  test('as a raw body reads parameters from the query and the name from Content-Disposition', async () => {
    const query = new URLSearchParams({ enhancements: '[{"targetResolution":600}]', maxCredits: '2' });
    const response = await gateway.fetch(`/v1/uploads?${query}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/pdf',
        'Content-Disposition': `attachment; filename*=UTF-8''scan%20%E2%82%AC.pdf`,
      },
      body: pdf(),
    });
    const body = await response.json();
    expect([response.status, body.originalFilename, body.mimetype]).toEqual([202, 'scan €.pdf', 'application/pdf']);
    expect(gateway.temporal.starts[0]!.options.args[0].enhancements).toMatchObject([{ maxCredits: 2 }]);
  });

  test('names a nameless file by its type', async () => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: photo };
    const body = await (await gateway.fetch('/v1/uploads', init)).json();
    expect(body.originalFilename).toBe('upload.jpg');
  });
});

describe('Idempotency-Key', () => {
  test('returns the same answer to the same form, and stores one copy of the file', async () => {
    const send = (): Promise<TestResponse> =>
      gateway.fetch('/v1/uploads', {
        method: 'POST',
        body: form({ creditWait: '5' }),
        headers: { 'Idempotency-Key': 'form-1' },
      });
    const both = await Promise.all([send(), send()]);
    // The one that comes while the other is in flight may have to come again.
    expect(both.filter(({ status }) => status !== 409).length).toBeGreaterThan(0);
    const answers = [...both.filter(({ status }) => status !== 409), await send()];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    const ids = await Promise.all(answers.map(async (each) => (await each.json()).id));
    expect(new Set(ids).size).toBe(1);
    expect(gateway.temporal.starts).toHaveLength(1);
    expect(await staged()).toEqual([]);
    const { objectKey } = gateway.temporal.starts[0]!.options.args[0].initial;
    expect(await gateway.storage.head(objectKey!)).toBeDefined();
  });

  test('is refused with another file, which is not kept', async () => {
    const send = async (file: Buffer): Promise<TestResponse> =>
      gateway.fetch('/v1/uploads', { method: 'POST', body: form({}, file), headers: { 'Idempotency-Key': 'form-2' } });
    expect((await send(photo)).status).toBe(202);
    const refused = await send(await jpeg(2));
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', field: 'Idempotency-Key' });
    expect(gateway.temporal.starts).toHaveLength(1);
    expect(await staged()).toEqual([]);
  });

  test('is refused for another kind of change, and independent in another account', async () => {
    const body = { source: { url: 'https://example.com/x.jpg' } };
    const first = await gateway.fetch('/v1/uploads', post(body, { 'Idempotency-Key': 'k' }));
    const { id } = await first.json();
    const other = await gateway.fetch(`/v1/uploads/${id}`, { method: 'DELETE', headers: { 'Idempotency-Key': 'k' } });
    expect(other.status).toBe(422);
    const foreign = await gateway.fetch('/v1/uploads', {
      ...post(body, { 'Idempotency-Key': 'k' }),
      key: gateway.foreignKey,
    });
    expect([foreign.status, (await foreign.json()).id === id]).toEqual([202, false]);
  });

  test('returns the present state of the record', async () => {
    const send = (): Promise<TestResponse> =>
      gateway.fetch(
        '/v1/uploads',
        post({ source: { url: 'https://example.com/y.jpg' } }, { 'Idempotency-Key': 'later' }),
      );
    const { id } = await (await send()).json();
    const upload = (await gateway.records.uploads.get(gateway.account.id, id))!;
    await gateway.records.uploads.project({
      ...upload,
      revision: 4,
      status: 'UPLOAD_FAILED',
      errorCode: 'URL_FETCH_FAILED',
    });
    expect(await (await send()).json()).toMatchObject({ id, status: 'UPLOAD_FAILED', errorCode: 'URL_FETCH_FAILED' });
    expect(gateway.temporal.starts).toHaveLength(1);
  });
});

describe('GET /v1/uploads', () => {
  test('refuses a cursor whose time the database cannot read', async () => {
    const after = timeCursor.encode(['0000-01-01T00:00:00.000Z', 'upl_1']);
    const response = await gateway.fetch(`/v1/uploads?after=${encodeURIComponent(after)}`);
    expect([response.status, (await response.json()).field]).toEqual([400, 'after']);
  });

  test('returns everything once, newest first, by the cursor and by the Link header', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const response = await gateway.fetch('/v1/uploads', {
        ...post({ source: { url: `https://example.com/${i}` } }),
        key: gateway.foreignKey,
      });
      made.unshift((await response.json()).id);
    }
    const seen: string[] = [];
    let path: string | null = '/v1/uploads?limit=2&status=UPLOAD_PROCESSING';
    while (path !== null) {
      const response: TestResponse = await gateway.fetch(path, { key: gateway.foreignKey });
      const { items, next } = await response.json();
      seen.push(...items.map(({ id }: { id: string }) => id));
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
      expect(path === null).toBe(next === null);
    }
    expect(seen.filter((id) => made.includes(id))).toEqual(made);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('includes the enhancements on request, on every page', async () => {
    const order = {
      source: { url: 'https://example.com/included' },
      enhancements: [{ mode: 'VIVID' }, { mode: 'OFF', upscalingFactor: 'X2' }],
    };
    const made = await (await gateway.fetch('/v1/uploads', post(order))).json();
    const path = '/v1/uploads?limit=1&include=enhancements';
    const response = await gateway.fetch(path);
    expect((await response.json()).items).toEqual([made]);
    expect(response.headers.get('link')).toContain('include=enhancements');
    const [plain] = (await (await gateway.fetch('/v1/uploads?limit=1')).json()).items;
    expect(plain).not.toHaveProperty('enhancements');
  });
});
