import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ObjectDamaged } from '../../../src/storage/integrity.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { cutOff, flipBit, objectPath, rot, zeroTail } from '../../support/rot.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { resultOf, uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';

let folder: TemporaryFolder;
let gateway: TestGateway;
const damage: ObjectDamaged[] = [];
beforeAll(async () => {
  folder = await temporaryFolder();
  const made = await testGateway({ storage: await reopened() });
  // Records come from storage of their own, so that the gateway's has not yet read a file.
  gateway = { ...made, storage: await openFilesystemStore(folder.path) };
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const reopened = () => openFilesystemStore(folder.path, (found) => damage.push(found));

const SMALL = 50_000;
/** Compared on its way to the reader */
const LONG = 40_000_000;

async function stored(size: number) {
  const bytes = randomBytes(size);
  const upload = await uploadOf(gateway, bytes, 'image/jpeg');
  const result = await resultOf(gateway, upload, bytes, 'image/jpeg');
  const { url } = await (await gateway.fetch(`/v1/uploads/${upload.id}`)).json();
  const { fullUrl } = await (await gateway.fetch(`/v1/enhancements/${result.id}`)).json();
  const key = result.result!.objectKey;
  return { bytes, key, original: upload.objectKey!, url: toPath(url), fullUrl: toPath(fullUrl) };
}

const toPath = (url: string): string => url.slice('http://burnish.test'.length);
const get = (path: string, headers = {}) => gateway.fetch(path, { key: null, headers });
const damaged = (key: string, change: (bytes: Buffer) => Buffer) => rot(objectPath(folder.path, key), change);

test.each([
  ['with a flipped bit', flipBit],
  ['with zeros at its end', zeroTail],
  ['without its last byte', cutOff],
])('a result %s is refused whole and in ranges, and reported once', async (_, change) => {
  const { key, fullUrl, url, bytes } = await stored(SMALL);
  expect(Buffer.from(await (await get(fullUrl)).arrayBuffer()).equals(bytes)).toBe(true);
  await damaged(key, change);
  damage.splice(0);
  for (const headers of [{}, { Range: 'bytes=0-9' }, { Range: `bytes=${SMALL - 1}-` }]) {
    const refused = await get(fullUrl, headers);
    expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'RESULT_DAMAGED', retryable: false }]);
    expect(refused.headers.get('etag')).toBeNull();
  }
  expect(damage.map(({ key }) => key)).toEqual([key]);
  // The original of the same bytes is another file.
  expect((await get(url)).status).toBe(200);
});

test('two originals that have changed places are both refused, until a restore', async () => {
  const [one, other] = [await stored(SMALL), await stored(SMALL)];
  await damaged(one.original, () => other.bytes);
  await damaged(other.original, () => one.bytes);
  for (const { url } of [one, other]) {
    const refused = await get(url);
    expect([refused.status, (await refused.json()).code]).toEqual([500, 'ORIGINAL_DAMAGED']);
  }
  await damaged(one.original, () => one.bytes);
  const restored = await get(one.url);
  expect([restored.status, Buffer.from(await restored.arrayBuffer()).equals(one.bytes)]).toEqual([200, true]);
});

test('a damaged long file never arrives complete: its first download breaks, and later ones are refused', async () => {
  const { key, fullUrl } = await stored(LONG);
  await damaged(key, flipBit);
  const first = await request(`${gateway.url}${fullUrl}`);
  let came = 0;
  const reading = (async () => {
    for await (const chunk of first.body) came += (chunk as Buffer).byteLength;
  })();
  await expect(reading).rejects.toThrow();
  expect([first.statusCode, came < LONG]).toEqual([200, true]);
  expect((await get(fullUrl)).status).toBe(500);
  expect((await get(fullUrl, { Range: 'bytes=5-6' })).status).toBe(500);
});

test('fifty readers of one file cause one reading of it, and none later', async () => {
  const { key, fullUrl, bytes } = await stored(LONG);
  const readBytes = async (work: () => Promise<void>): Promise<number> => {
    const count = async (): Promise<number> =>
      Number(/^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))![1]);
    const before = await count();
    await work();
    return (await count()) - before;
  };
  const ranges = async (): Promise<void> => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(fullUrl, { Range: 'bytes=100-149' })));
    for (const answer of answers) {
      expect(answer.status).toBe(206);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(100, 150))).toBe(true);
    }
  };
  const first = await readBytes(ranges);
  expect(first).toBeGreaterThan(LONG);
  expect(first).toBeLessThan(1.5 * LONG);
  expect(await readBytes(ranges)).toBeLessThan(LONG / 2);
  await damaged(key, zeroTail);
  expect((await get(fullUrl, { Range: 'bytes=0-0' })).status).toBe(500);
});

test('the preview of a damaged original blames storage, and appears after a restore', async () => {
  const photo = await jpeg();
  const { id, objectKey } = await uploadOf(gateway, photo, 'image/jpeg');
  await damaged(objectKey!, zeroTail);
  for (const size of ['', '?width=full', '']) {
    const refused = await gateway.fetch(`/v1/uploads/${id}/preview${size}`);
    expect([refused.status, (await refused.json()).code]).toEqual([500, 'ORIGINAL_DAMAGED']);
  }
  await damaged(objectKey!, () => photo);
  expect((await gateway.fetch(`/v1/uploads/${id}/preview`)).status).toBe(200);
});

test('a damaged file refuses neither downloads nor uploads of others', async () => {
  const [rotten, calm] = [await stored(SMALL), await stored(SMALL)];
  await damaged(rotten.key, flipBit);
  for (let round = 0; round < 20; round += 1) {
    const [refused, served] = await Promise.all([get(rotten.fullUrl), get(calm.fullUrl)]);
    expect([refused.status, served.status]).toEqual([500, 200]);
    await Promise.all([refused.arrayBuffer(), served.arrayBuffer()]);
  }
  const { status } = await gateway.fetch('/readyz', { key: null });
  expect(status).toBe(200);
});
