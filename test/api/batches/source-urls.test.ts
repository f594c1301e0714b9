import { expect, test } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { createBatchItems } from '../../../src/database/batches/batch-items.ts';
import { createBatches } from '../../../src/database/batches/batches.ts';
import { resealItemUrls } from '../../../src/database/batches/item-urls.ts';
import { batchItems } from '../../../src/database/schema/batches.ts';
import { createKeyRing, createVault, newKey, type Vault } from '../../../src/secrets/key-ring.ts';
import { testVault } from '../../support/test-vault.ts';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

const gateway = useGateway();
const send = jsonRequests(() => gateway);

const SIGNED = 'https://files.example.com/a.jpg?X-Amz-Signature=5ec7e7&X-Amz-Credential=AKIA5EC7E7';
const PLAIN = 'https://files.example.com/plain.jpg';
const OTHER = 'https://files.example.com/a.jpg?X-Amz-Signature=5ec7e8';

async function batchOf(...items: object[]): Promise<string> {
  const { id } = (await (await send('POST', '/v1/batches', { body: { enhancements: [{}], samples: 20 } })).json()) as {
    id: string;
  };
  expect(await add(id, ...items)).toMatchObject({ added: items.length, repeated: 0 });
  return id;
}
async function add(id: string, ...items: object[]): Promise<unknown> {
  const body = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  const headers = { 'Content-Type': 'application/x-ndjson' };
  return (await gateway.fetch(`/v1/batches/${id}/items`, { method: 'POST', headers, body })).json();
}
const manifest = async (id: string, format = 'ndjson'): Promise<string> =>
  (await send('GET', `/v1/batches/${id}/manifest?format=${format}`)).text();
const stored = async (): Promise<string> => JSON.stringify(await gateway.database.orm.select().from(batchItems));

test('an address is encrypted, and a manifest shows it without its query', async () => {
  const id = await batchOf({ url: SIGNED }, { url: OTHER, key: 'mine' }, { url: PLAIN });
  expect(await stored()).not.toMatch(/5ec7e[78]|AKIA5EC7E7|X-Amz|plain/);
  for (const text of [await manifest(id), await manifest(id, 'csv')]) {
    expect(text).not.toMatch(/5ec7e[78]|AKIA5EC7E7|X-Amz/);
    expect(text).toContain(PLAIN);
  }
  // A worker starts the item with the complete address.
  await gateway.database.orm.update(batchItems).set({ state: 'RUNNING' });
  const items = createBatchItems(gateway.database, testVault);
  expect((await items.unstarted(id)).map(({ url }) => url)).toEqual([SIGNED, OTHER, PLAIN]);
});

test('addresses that 1.0.0-rc.2 stored are encrypted at a start, and each line of its manifest stays', async () => {
  const { database } = gateway;
  await database.orm.delete(batchItems);
  const id = await batchOf({ url: SIGNED }, { url: OTHER, key: 'mine' }, { url: PLAIN }, { url: PLAIN, key: 'other' });
  const before = await manifest(id);
  const urls = [SIGNED, OTHER, PLAIN, PLAIN];
  const lines = before.trim().split('\n');
  for (const [position, line] of lines.entries()) {
    const { key, url } = JSON.parse(line) as { key: string; url: string };
    const old = { key, url, ...(url === urls[position] ? { urlSecret: null } : {}) };
    await database.orm.update(batchItems).set(old).where(eq(batchItems.position, position));
  }
  expect(await stored()).toContain('plain');
  await resealItemUrls(database, testVault);
  expect(await stored()).not.toMatch(/plain|5ec7e|X-Amz|a\.jpg/);
  expect(await manifest(id)).toBe(before);
  expect(await add(id, { url: SIGNED }, { url: PLAIN })).toEqual({ added: 0, repeated: 2 });
  await database.orm.update(batchItems).set({ state: 'RUNNING' });
  const items = createBatchItems(database, testVault);
  expect((await items.unstarted(id)).map(({ url }) => url)).toEqual(urls);
});

test('addresses that differ in their query alone are different items, and the same one again is not', async () => {
  const id = await batchOf({ url: SIGNED }, { url: OTHER }, { url: 'https://files.example.com/a.jpg' });
  expect(await add(id, { url: SIGNED }, { url: OTHER })).toEqual({ added: 0, repeated: 2 });
  const keys = (await manifest(id))
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { key: string }).key);
  expect(new Set(keys).size).toBe(3);
  await add(id, { url: SIGNED, key: 'one' });
  expect(await add(id, { url: OTHER, key: 'one' })).toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('addresses are encrypted again at a start with a new key, after which the previous key is not needed', async () => {
  const { database, account } = gateway;
  await database.orm.delete(batchItems);
  const [previous, key] = [newKey(), newKey()];
  const vaultOf = (...keys: [Buffer, ...Buffer[]]) => createVault(createKeyRing(keys));
  const id = await batchOf();
  const item = { key: 'again', url: SIGNED, reference: null, uploadId: null };
  await createBatches(database, vaultOf(previous)).addItems(account.id, id, [item]);
  await resealItemUrls(database, vaultOf(key, previous));
  await database.orm.update(batchItems).set({ state: 'RUNNING' }).where(eq(batchItems.batchId, id));
  const urls = async (vault: Vault) => (await createBatchItems(database, vault).unstarted(id)).map(({ url }) => url);
  expect(await urls(vaultOf(key))).toEqual([SIGNED]);
  await expect(urls(vaultOf(previous))).rejects.toThrow('needs the encryption key');
});

test('no cell of the CSV is a formula, and what precedes one can be removed again', async () => {
  const keys = ['=HYPERLINK("http://evil.example")', '+1', '-1', '@SUM(A1)', "'quoted", 'photo-1.jpg'];
  const id = await batchOf(
    ...keys.map((key, n) => ({ key, url: `https://files.example.com/${n}.jpg`, reference: '=1+1' })),
  );
  const rows = (await manifest(id, 'csv')).trim().split('\r\n').slice(1);
  const cells = rows.map((row) =>
    /^("(?:[^"]|"")*"|[^,]*),/
      .exec(row)![1]!
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"'),
  );
  expect(cells.filter((cell) => /^[=+\-@]/.test(cell))).toEqual([]);
  expect(cells.map((cell) => cell.replace(/^'/, ''))).toEqual(keys);
  expect(rows.filter((row) => row.includes(",'=1+1,"))).toHaveLength(keys.length);
  expect(await manifest(id)).toContain('"key":"+1"');
});
