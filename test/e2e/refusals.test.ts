import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Api, Answer, Problem, UploadRecord } from './api.ts';
import { photo, picture, pixelBomb } from './files.ts';
import { type Instance, startInstance } from './instance.ts';
import { listenHttp, type LocalServer } from '../support/local-server.ts';
import { poll } from '../support/poll.ts';

/** Stands for what is inside: nothing may ever ask it for anything. */
let inside: LocalServer;
let asked = 0;
/** Stands for the web: the one private address that the instance may reach. */
let outside: LocalServer;
let redirectTo = '';
let webhookCalls = 0;
let instance: Instance;
let api: Api;

beforeAll(async () => {
  inside = await listenHttp((_, res) => {
    asked += 1;
    res.end('secret');
  });
  outside = await listenHttp((req, res) => {
    if (req.method === 'POST') webhookCalls += 1;
    req.resume();
    res.writeHead(307, { location: redirectTo }).end();
  });
  instance = await startInstance({ env: { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${outside.port}` } });
  api = instance.api;
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await outside?.[Symbol.asyncDispose]();
  await inside?.[Symbol.asyncDispose]();
});

const X2 = { upscalingFactor: 'X2' };
const kilobytes = (count: number): Buffer => Buffer.alloc(count * 1000, 'x');
const cut = (file: Buffer): Buffer => file.subarray(0, Math.floor(file.length * 0.6));

/** Everything on disk below the folder of files, without the marker and the checkpoint, which the instance writes by itself. */
async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(join(instance.dataDir, 'files'), { recursive: true, withFileTypes: true });
  const own = join(instance.dataDir, 'files', 'instance');
  return entries
    .filter((each) => each.isFile() && each.parentPath !== own)
    .map(({ parentPath, name }) => join(parentPath, name));
}

async function expectNothingLeft(act: () => Promise<void>): Promise<void> {
  const before = { credits: await api.credits(), files: await filesOnDisk() };
  await act();
  // The answer does not wait for the removal of a temporary file.
  await poll(async () => ({ credits: await api.credits(), files: await filesOnDisk() })).toEqual(before);
}

describe('an upload is refused on arrival for a file', () => {
  const CASES: [what: string, make: () => Buffer | Promise<Buffer>, type: string, status: number, code: string][] = [
    ['that is a ZIP archive and says JPEG', zip, 'image/jpeg', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is a JPEG and says PDF', () => photo(3), 'application/pdf', 422, 'UPLOAD_MISMATCH'],
    ['that is a picture of 19,999 bytes', smallPhoto, 'image/jpeg', 422, 'FILE_TOO_SMALL'],
    ['that is a picture of more than 50 MB', largePhoto, 'image/jpeg', 413, 'FILE_TOO_LARGE'],
  ];
  test.each(CASES)('%s', async (_, make, type, status, code) => {
    const file = await make();
    await expectNothingLeft(async () => {
      const order = { filename: 'photo.jpg', enhancements: [X2] };
      const answer = await api.call<Problem>('POST', `/v1/uploads?${query(order)}`, {
        body: file,
        headers: { 'content-type': type },
      });
      expect([answer.status, answer.body.status, answer.body.code]).toEqual([status, status, code]);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    });
  });
});

/** Two frames by libavif, with a box `free` so that the file is long enough. */
async function animatedAvif(): Promise<Buffer> {
  const file = await readFile(new URL('../../packages/engine/test/fixtures/animated.avif', import.meta.url));
  const free = Buffer.alloc(25_000);
  free.writeUInt32BE(free.length);
  free.write('free', 4, 'latin1');
  return Buffer.concat([file, free]);
}

describe('an upload fails after its acceptance for', () => {
  const CASES: [what: string, make: () => Buffer | Promise<Buffer>, code: string][] = [
    ['a JPEG that ends in its middle', async () => cut(await photo(5)), 'CORRUPT_FILE'],
    ['an animated AVIF', animatedAvif, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a PDF of rubbish', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), kilobytes(30)]), 'CORRUPT_FILE'],
    ['110 kB that open to 900 megapixels', () => pixelBomb(30_000, 30_000), 'TOO_MANY_PIXELS'],
  ];
  test.each(CASES)('%s', async (_, make, code) => {
    const file = await make();
    expect(file.length).toBeGreaterThan(20_000);
    await expectNothingLeft(async () => {
      const { status, body } = await api.upload(file, { enhancements: [{}] });
      expect(status).toBe(202);
      const upload = await api.settled(body.id);
      const isPdf = upload.mimetype === 'application/pdf';
      // A PDF is received first and analyzed after that; both its record and its enhancement say what is wrong.
      expect(upload).toMatchObject(
        isPdf
          ? { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: code }
          : { status: 'UPLOAD_FAILED', errorCode: code, url: null },
      );
      expect(upload.enhancements).toMatchObject([{ status: 'ERROR', errorCode: code, fullUrl: null, filename: null }]);
      expect(upload.errorDetail).not.toMatch(/vips|sharp|\/tmp|node_modules|\n/);
      if (isPdf) await api.call('DELETE', `/v1/uploads/${upload.id}`);
    });
  });
});

describe('a private address is refused', () => {
  test('as source and as webhook', async () => {
    const address = `http://0x7f000001:${inside.port}/`;
    await expectNothingLeft(async () => {
      const bySource = await api.call<Problem>('POST', '/v1/uploads', { body: { source: { url: address } } });
      expect([bySource.status, bySource.body.code, bySource.body.field]).toEqual([
        422,
        'URL_NOT_ALLOWED',
        'source.url',
      ]);
      const file = await photo(6);
      const byWebhook = (await api.upload(file, { webhookUrl: address })) as unknown as Answer<Problem>;
      expect([byWebhook.status, byWebhook.body.code, byWebhook.body.field]).toEqual([
        422,
        'URL_NOT_ALLOWED',
        'webhookUrl',
      ]);
    });
    expect(asked).toBe(0);
  });

  test('as the target of a redirect', async () => {
    redirectTo = inside.url;
    await expectNothingLeft(async () => {
      const order = { source: { url: `${outside.url}/photo.jpg` }, enhancements: [X2] };
      const { body } = await api.call<UploadRecord>('POST', '/v1/uploads', { body: order });
      const upload = await api.settled(body.id);
      expect(upload).toMatchObject({ status: 'UPLOAD_FAILED', errorCode: 'URL_NOT_ALLOWED' });
      expect(upload.enhancements).toMatchObject([{ status: 'ERROR', errorCode: 'URL_NOT_ALLOWED' }]);
      expect(upload.errorDetail).not.toContain(String(inside.port));
    });
    expect(asked).toBe(0);
  });

  test('as the target of a webhook redirect, which is not followed', async () => {
    redirectTo = inside.url;
    const { body } = await api.upload(await photo(7), { webhookUrl: `${outside.url}/hook` });
    await poll(() => webhookCalls, { timeout: 30_000 }).toBeGreaterThan(1);
    expect(asked).toBe(0);
    await api.call('DELETE', `/v1/uploads/${body.id}`);
  });
});

const query = (order: object): string =>
  new URLSearchParams(
    Object.entries(order).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();

function zip(): Buffer {
  const name = Buffer.from('photo.jpg');
  const data = deflateRawSync(kilobytes(40));
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt32LE(40_000, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name, data, kilobytes(25)]);
}

/** Bytes behind the end of a picture are no part of it: readers pass them over. */
async function smallPhoto(): Promise<Buffer> {
  const tiny = await picture(40, 30).jpeg().toBuffer();
  return Buffer.concat([tiny, Buffer.alloc(19_999 - tiny.length)]);
}

async function largePhoto(): Promise<Buffer> {
  return Buffer.concat([await photo(8), Buffer.alloc(50_000_001)]);
}
