import { parse } from 'content-disposition';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ObjectStore } from '../../../src/storage/object-store.ts';
import { openObjectStore } from '../../../src/storage/open-object-store.ts';
import { startS3Server, type S3Server } from '../../support/s3-server.ts';
import { temporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { resultOf, uploadOf } from '../previews/stored-files.ts';
import { jpeg } from '../support/files.ts';
import { testGateway } from '../support/gateway.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let server: S3Server;
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startS3Server();
  Object.assign(process.env, server.env);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const STORAGES: [name: string, open: () => Promise<ObjectStore>][] = [
  ['files', () => open(`file:${folder.path}/objects`)],
  ['S3', async () => open(`s3://${await server.createBucket()}`)],
];
const open = (storage: string): Promise<ObjectStore> =>
  openObjectStore({
    storage,
    s3: { publicUrl: null, pathStyle: null },
    scratchDir: folder.path,
    environment: process.env,
  });

test.each(STORAGES)(
  'fullUrl is the same for an hour, names neither account nor storage key, and is valid for 23 hours: %s',
  async (_, openStore) => {
    const storage = await openStore();
    await using made = await testGateway({ storage });
    const gateway = { ...made, storage };
    const photo = await jpeg();
    const upload = await uploadOf(gateway, photo, 'image/jpeg');
    // Not on the hour: the changes of the URL count from the end of the enhancement.
    const end = Date.parse(upload.createdAt) - 17 * MINUTE;
    const finishedAt = new Date(end).toISOString();
    const { id, result } = await resultOf(gateway, upload, photo, 'image/jpeg', { finishedAt });
    const goTo = (ms: number): void => void (gateway.clock.aheadMs = end + ms - Date.now());
    const readUrl = async (): Promise<string> => {
      const rest = await (await gateway.fetch(`/v1/enhancements/${id}`)).json();
      const body = JSON.stringify({ query: `{ enhancedImage(id: "${id}") { fullUrl } }` });
      const headers = { 'Content-Type': 'application/json' };
      const graphql = await (await gateway.fetch('/graphql', { method: 'POST', body, headers })).json();
      expect(graphql.data.enhancedImage.fullUrl).toBe(rest.fullUrl);
      return rest.fullUrl;
    };
    const download = (url: string, headers = {}) =>
      gateway.fetch(url.slice('http://burnish.test'.length), { key: null, headers });

    goTo(MINUTE);
    const first = await readUrl();
    goTo(HOUR - MINUTE);
    expect(await readUrl()).toBe(first);
    goTo(HOUR + MINUTE);
    const second = await readUrl();
    expect(second).not.toBe(first);

    const token = new URL(first).searchParams.get('token')!;
    const readable = `${first}\n${Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url').toString('latin1')}`;
    for (const hidden of [gateway.account.id, upload.id, result!.objectKey, 'image/jpeg']) {
      expect(readable).not.toContain(hidden);
    }

    // The last moment at which the first URL is given out, and 23 hours on.
    goTo(24 * HOUR - 5_000);
    const whole = await download(first);
    expect(whole.status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer()).equals(photo)).toBe(true);
    expect(parse(whole.headers.get('content-disposition')!).parameters['filename']).toBe('photo-enhanced.jpg');
    const part = await download(first, { Range: 'bytes=100-199' });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.arrayBuffer()).equals(photo.subarray(100, 200))).toBe(true);
    goTo(24 * HOUR + 5_000);
    const late = await download(first);
    expect([late.status, (await late.json()).code]).toEqual([403, 'SIGNED_URL_EXPIRED']);
    expect((await download(second)).status).toBe(200);
  },
);
