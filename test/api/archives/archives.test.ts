import { describe, expect, test } from '@jest/globals';
import { MAX_ARCHIVED_FILES, newId, type Upload } from '@burnish/contract';
import { and, eq } from 'drizzle-orm';
import { batchItems as itemsTable } from '../../../src/database/schema/batches.ts';
import { resultOf, uploadOf } from '../previews/stored-files.ts';
import { storedUpload } from '../support/records.ts';
import { useGateway, type TestResponse } from '../support/gateway.ts';
import { unzip } from '../../support/unzip.ts';
import { poll } from '../../support/poll.ts';

const gateway = useGateway();

const archive = (ids: readonly string[], init?: Parameters<typeof gateway.fetch>[1]): Promise<TestResponse> =>
  gateway.fetch(`/v1/archive.zip?ids=${ids.join(',')}`, init);
const bytesOf = (text: string, length = 30_000): Buffer => Buffer.alloc(length, text);
const original = (text: string, more?: Partial<Upload>, length?: number): Promise<Upload> =>
  uploadOf(gateway, bytesOf(text, length), 'image/jpeg', more);

test('an archive of a batch keeps the folders of its keys, in parts, and leads to no other folder', async () => {
  const { batches, batchItems } = gateway.records;
  const id = newId('bat', 0);
  const none = { preset: null, destination: null, maxCredits: null, reference: null };
  await batches.create({ id, accountId: gateway.account.id, parameters: {}, samples: 0, ...none }, null);
  const keys = ['shoes/red/a.heic', 'shoes/a.heic', '../../etc/b.heic', 'shoes/lost.heic'];
  const results = await Promise.all(
    keys.map(async (key) => {
      const upload = await original(key);
      return { key, upload, result: await resultOf(gateway, upload, bytesOf(key, 40_000), 'image/webp') };
    }),
  );
  const item = { url: null, bucket: null, reference: null };
  await batches.addItems(
    gateway.account.id,
    id,
    results.map(({ key, upload }) => ({ ...item, key, uploadId: upload.id })),
  );
  const path = `/v1/batches/${id}/archive.zip`;
  expect((await gateway.fetch(path)).status).toBe(404);
  for (const [position, { upload, result, key }] of results.entries()) {
    if (key === 'shoes/lost.heic') continue;
    const change = { state: 'FINISHED', enhancementId: result.id, uploadId: upload.id, credits: 1 } as const;
    await gateway.database.orm
      .update(itemsTable)
      .set(change)
      .where(and(eq(itemsTable.batchId, id), eq(itemsTable.position, position)));
  }
  expect(await batchItems.list(id, { limit: 10, state: 'PENDING' })).toMatchObject([
    { item: { key: 'shoes/lost.heic' } },
  ]);
  const response = await gateway.fetch(path);
  const zip = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get('content-length')).toBe(String(zip.length));
  expect(unzip(zip)).toEqual({
    'shoes/red/photo-enhanced.jpg.webp': bytesOf('shoes/red/a.heic', 40_000),
    'shoes/photo-enhanced.jpg.webp': bytesOf('shoes/a.heic', 40_000),
    'etc/photo-enhanced.jpg.webp': bytesOf('../../etc/b.heic', 40_000),
  });
  expect((await gateway.fetch(`${path}?part=2`)).status).toBe(404);
  expect((await gateway.fetch(`${path}?part=0`)).status).toBe(400);
  expect((await gateway.fetch(path, { key: gateway.foreignKey })).status).toBe(404);
});

describe('an archive', () => {
  test('has results and originals under names of their own, and the size that its headers say', async () => {
    const first = await original('a', { originalFilename: 'Größe.jpg' });
    const second = await original('b', { originalFilename: 'größe.JPG' });
    const result = await resultOf(gateway, first, bytesOf('c', 50_000), 'image/webp');
    const response = await archive([first.id, second.id, result.id, first.id]);
    expect(response.status).toBe(200);
    const zip = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(zip.length));
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename=burnish.zip');
    expect(unzip(zip)).toEqual({
      'Größe.jpg': bytesOf('a'),
      'größe (2).JPG': bytesOf('b'),
      'photo-enhanced.jpg.webp': bytesOf('c', 50_000),
    });
    const head = await archive([first.id, second.id, result.id], { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(zip.length), '']);
  });

  test('has files of the account only, and names the one that is not there', async () => {
    const { id } = await original('a');
    const gone = await storedUpload(gateway, { status: 'UPLOAD_DELETED' });
    for (const [ids, init] of [
      [[id, newId('enh', 0)], {}],
      [[id, gone.id], {}],
      [[id], { key: gateway.foreignKey }],
    ] as const) {
      const refused = await archive(ids, init);
      expect([refused.status, (await refused.json()).code]).toEqual([404, 'NOT_FOUND']);
    }
    const unknown = newId('upl', 0);
    expect((await (await archive([id, unknown])).json()).detail).toContain(unknown);
  });

  test('has a limit of files and of bytes, and refuses other texts than ids', async () => {
    const ids = Array.from({ length: MAX_ARCHIVED_FILES + 1 }, () => newId('upl', 0));
    const large = { size: 6_000_000_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' } as const;
    const two = await Promise.all([storedUpload(gateway, { file: large }), storedUpload(gateway, { file: large })]);
    const refusals = [ids, two.map(({ id }) => id), [''], ['key_1']].map(async (each) => {
      const refused = await archive(each);
      const { field, detail, remedy } = await refused.json();
      return [refused.status, field, `${detail} ${remedy}`];
    });
    expect(await Promise.all(refusals)).toEqual([
      [400, 'ids', expect.stringContaining('200')],
      [400, 'ids', 'The files have 12.0 GB together, and an archive has at most 10 GB. Download them in parts.'],
      [400, expect.stringMatching(/^ids/), expect.any(String)],
      [400, expect.stringMatching(/^ids/), expect.any(String)],
    ]);
    expect((await gateway.fetch('/v1/archive.zip')).status).toBe(400);
  });

  test('breaks off where a file is damaged, and is refused where the first one is', async () => {
    const good = await original('a');
    const damaged = await original('b', { file: { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'image/jpeg' } });
    await gateway.storage.put(damaged.objectKey!, [bytesOf('x')] as never, { maxBytes: 1e9 });
    const broken = await archive([good.id, damaged.id]);
    expect(broken.status).toBe(200);
    await expect(broken.arrayBuffer()).rejects.toThrow();
    const refused = await archive([damaged.id, good.id]);
    expect([refused.status, (await refused.json()).code]).toEqual([500, 'ORIGINAL_DAMAGED']);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
  });

  test('takes at most four places of an account, and gives them back when its caller leaves before the end', async () => {
    // Larger than what lies between two programs of a machine.
    const { id } = await original('a', {}, 20_000_000);
    const leaving = new AbortController();
    const slow = await Promise.all(Array.from({ length: 4 }, () => archive([id], { signal: leaving.signal })));
    const fifth = await archive([id]);
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await gateway.fetch('/v1/archive.zip?ids=upl_1', { key: gateway.foreignKey })).status).toBe(400);
    leaving.abort();
    await Promise.allSettled(slow.map((response) => response.arrayBuffer()));
    await poll(async () => {
      const again = await archive([id], { method: 'HEAD' });
      return again.status;
    }).toBe(200);
  });
});
