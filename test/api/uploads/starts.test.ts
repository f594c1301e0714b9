import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ReconcileDeps } from '../../../src/api/reconcile/reconcile-deps.ts';
import { sweepStagedFiles } from '../../../src/api/reconcile/sweep-staged-files.ts';
import { withdrawRefused } from '../../../src/api/reconcile/reconcile.ts';
import { jpeg } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { poll } from '../../support/poll.ts';

const gateway = useGateway();
let photo: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  photo = new Uint8Array(await jpeg());
});
afterEach(() => {
  gateway.temporal.onStart = () => undefined;
  gateway.temporal.starts.length = 0;
  gateway.clock.aheadMs = 0;
});

const send = (key?: string, query = ''): Promise<TestResponse> =>
  gateway.fetch(`/v1/uploads${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg', ...(key === undefined ? {} : { 'Idempotency-Key': key }) },
    body: photo,
  });
const away = (): never => {
  throw Object.assign(new Error('away'), { code: 14, details: '', metadata: {} });
};
const list = async (): Promise<string[]> =>
  (await (await gateway.fetch('/v1/uploads?limit=100')).json()).items.map(({ id }: { id: string }) => id);

describe('the idempotency key of a request that creates an upload', () => {
  test('is returned, both a sent one and a generated one', async () => {
    expect((await send('my-key')).headers.get('idempotency-key')).toBe('my-key');
    expect((await send()).headers.get('idempotency-key')).toMatch(/^[\w-]{36}$/);
  });

  test('is returned with a refusal too', async () => {
    const refused = await gateway.fetch('/v1/uploads', { method: 'POST', key: null, body: photo });
    expect([refused.status, refused.headers.get('idempotency-key')]).toEqual([401, expect.any(String)]);
  });

  test('that was generated finds the upload of its request', async () => {
    const first = await send();
    const again = await send(first.headers.get('idempotency-key')!);
    expect((await again.json()).id).toBe((await first.json()).id);
    expect(gateway.temporal.starts).toHaveLength(1);
  });

  test('that was generated is refused for another request', async () => {
    const first = await send();
    const other = await send(first.headers.get('idempotency-key')!, '?filename=other.jpg');
    expect([other.status, (await other.json()).field]).toEqual([422, 'Idempotency-Key']);
  });

  test('is returned in GraphQL and finds the upload of its mutation', async () => {
    const query = 'mutation { createUploadFromUrl(input: { url: "https://example.com/a.jpg" }) { id } }';
    const change = async (key?: string): Promise<{ key: string; id: string }> => {
      const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
      const response = await gateway.fetch('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
      const { data } = await response.json();
      return { key: response.headers.get('idempotency-key')!, id: data.createUploadFromUrl.id };
    };
    const first = await change();
    expect(await change(first.key)).toEqual(first);
    expect((await change()).id).not.toBe(first.id);
  });
});

describe('a start with an unknown outcome', () => {
  const reconciling = (): ReconcileDeps =>
    ({ ...gateway.records, client: gateway.temporal.client, storage: gateway.storage }) as never;
  const settle = (): Promise<number> => {
    gateway.clock.aheadMs = 60_000;
    return withdrawRefused(reconciling());
  };
  const refusedIs = (count: number): Promise<void> =>
    poll(async () => (await gateway.records.uploadStarts.refusedBefore(-120_000)).length).toBe(count);

  test('that has failed leaves nothing: no record, no bytes, no note', async () => {
    const before = await list();
    gateway.temporal.onStart = away;
    const response = await send(undefined, '?enhancements=[{}]');
    expect([response.status, (await response.json()).code]).toEqual([503, 'UNAVAILABLE']);
    await refusedIs(1);
    expect(await settle()).toBe(1);
    expect(await list()).toEqual(before);
    expect(await gateway.records.stagedFiles.olderThan(-120_000)).toEqual([]);
    await refusedIs(0);
  });

  test('that is repeated with its key finds its upload and starts its workflow', async () => {
    gateway.temporal.onStart = away;
    const response = await send();
    const key = response.headers.get('idempotency-key')!;
    await refusedIs(1);
    gateway.temporal.onStart = () => undefined;
    const again = await send(key);
    const { id } = await again.json();
    expect(again.status).toBe(202);
    expect(gateway.temporal.starts.map(({ options }) => options.workflowId)).toEqual([`upload/${id}`]);
    // Nothing is taken back of what was asked for again.
    expect(await settle()).toBe(0);
    expect((await gateway.fetch(`/v1/uploads/${id}`)).status).toBe(200);
  });

  test('that has succeeded keeps its upload', async () => {
    const { start } = gateway.temporal.client.workflow;
    gateway.temporal.client.workflow.start = (async (...args: Parameters<typeof start>) => {
      await start(...args);
      return away();
    }) as typeof start;
    const response = await send();
    gateway.temporal.client.workflow.start = start;
    expect(response.status).toBe(503);
    await refusedIs(1);
    expect(await settle()).toBe(0);
    const id = gateway.temporal.starts[0]!.options.workflowId.slice('upload/'.length);
    expect((await gateway.fetch(`/v1/uploads/${id}`)).status).toBe(200);
    await refusedIs(0);
  });

  test('that has failed keeps the deletion of its bytes due while storage is away', async () => {
    gateway.temporal.onStart = away;
    await send();
    await refusedIs(1);
    gateway.clock.aheadMs = 60_000;
    const deletePrefix = (): Promise<never> => Promise.reject(new Error('away'));
    const storage = { ...gateway.storage, deletePrefix };
    await expect(withdrawRefused({ ...reconciling(), storage })).rejects.toThrow('away');
    const [due] = await gateway.records.stagedFiles.olderThan(-120_000);
    expect((await gateway.storage.head(due!.objectKey))?.size).toBeGreaterThan(0);
    expect(await gateway.records.uploads.find(due!.uploadId)).toBeUndefined();
    const sweeping = { ...gateway.records, client: gateway.temporal.client, storage: gateway.storage };
    expect(await sweepStagedFiles(sweeping, -120_000)).toBe(1);
    expect(await gateway.storage.head(due!.objectKey)).toBeUndefined();
  });
});

test('the records and changes of a start are written in one transaction before its workflow starts', async () => {
  let seen: unknown;
  gateway.temporal.onStart = () => undefined;
  const { start } = gateway.temporal.client.workflow;
  gateway.temporal.client.workflow.start = (async (type, options) => {
    const [{ initial }] = (options as { args: [{ initial: { id: string } }] }).args;
    const { id: accountId } = gateway.account;
    const record = await gateway.records.enhancements.listForUpload(accountId, initial.id);
    const feed = await gateway.records.changes.listSince(accountId, initial.id, 0, 10);
    seen = [record.length, feed.map(({ seq, subject }) => `${seq} ${subject}`)];
    return await start(type, options as never);
  }) as typeof start;
  await send(undefined, `?enhancements=${encodeURIComponent('[{},{"mode":"VIVID"}]')}`);
  gateway.temporal.client.workflow.start = start;
  expect(seen).toEqual([2, ['1 upload', '2 enhancement', '3 enhancement']]);
});
