import type { ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { accounts as accountsTable } from '../../../src/database/schema/accounts.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { poll } from '../../support/poll.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { tusRequests } from '../resumable-uploads/tus-requests.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { openRequest, type OpenAnswer } from '../support/open-request.ts';
import { storedUpload } from '../support/records.ts';

let gateway: TestGateway;
let photo: Buffer;
const open: (ClientRequest | Socket)[] = [];
beforeEach(async () => {
  gateway = await testGateway({ limits: { uploadsAtOnce: 4, permitWaitMs: 100 } });
  photo = await jpeg();
});
afterEach(async () => {
  for (const sent of open.splice(0)) sent.destroy();
  await gateway[Symbol.asyncDispose]();
});

const JPEG = { 'content-type': 'image/jpeg', 'content-length': '90000' };

/** Starts a request, and sends the start of its body. */
function unfinished(
  path: string,
  headers: Record<string, string>,
  method = 'POST',
  start: string | Buffer = 'x',
): Promise<OpenAnswer> {
  const [sent, answer] = openRequest(gateway, path, headers, method);
  sent.on('error', () => undefined).write(start);
  open.push(sent);
  return answer;
}

const several = (count: number, start: () => Promise<OpenAnswer>): Promise<OpenAnswer>[] =>
  Array.from({ length: count }, start);

/** The same with a client that keeps its connection open after the answer. @returns the status */
function kept(path: string, headers: Record<string, string>, method = 'POST'): Promise<number> {
  const socket = connect({ port: gateway.gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  open.push(socket);
  const lines = Object.entries({ host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\nx`);
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve(Number(chunk.toString().split(' ')[1])));
    socket.on('error', reject);
  });
}

const upload = async (key = gateway.key): Promise<number> => {
  const init = { method: 'POST', key, headers: { 'Content-Type': 'image/jpeg' }, body: new Uint8Array(photo) };
  return (await gateway.fetch('/v1/uploads', init)).status;
};

async function pendingUpload(): Promise<string> {
  return (await storedUpload(gateway, { status: 'UPLOAD_PENDING', objectKey: null, file: null })).id;
}

async function newAccount(index: number): Promise<string> {
  const id = `acc_${String(index).padStart(26, '0')}`;
  await gateway.database.orm.insert(accountsTable).values({ ...gateway.account, id, name: `Account ${index}` });
  return (await gateway.records.apiKeys.create(id, 'Key')).key;
}

describe('a refused request, whose body never ends', () => {
  test.each([
    ['without a key', 401, { ...JPEG, 'x-api-key': '' }],
    ['with a wrong key', 401, { ...JPEG, 'x-api-key': 'bk_wrong' }],
    ['of a type that is no file', 415, { ...JPEG, 'content-type': 'text/plain' }],
    ['of too large a file', 413, { ...JPEG, 'content-length': '2000000000' }],
  ])('keeps no place: %s', async (_what, status, headers) => {
    const own = { 'x-api-key': gateway.key, ...headers };
    for (let i = 0; i < 10; i += 1) expect(await kept('/v1/uploads', own)).toBe(status);
    expect(await upload()).toBe(202);
    expect(open.some(({ destroyed }) => destroyed)).toBe(false);
  });

  test('keeps no place: a PUT to an address with a forged signature', async () => {
    const id = await pendingUpload();
    const signer = createUrlSigner({ keys: oneKey('another secret'), now: Date.now });
    const path = signer.sign(`/uploads/${id}`, { size: 90_000, type: 'image/jpeg' }, Date.now() + 60_000);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => kept(path, JPEG, 'PUT')));
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await upload()).toBe(202);
    expect(open.some(({ destroyed }) => destroyed)).toBe(false);
  });
});

describe('an account whose bodies do not end', () => {
  const signed = async (): Promise<() => Promise<OpenAnswer>> => {
    const signer = createUrlSigner({ keys: oneKey('a secret for tests only'), now: Date.now });
    const paths = await Promise.all(
      Array.from({ length: 12 }, async () =>
        signer.sign(`/uploads/${await pendingUpload()}`, { size: 90_000, type: 'image/jpeg' }, Date.now() + 60_000),
      ),
    );
    return () => unfinished(paths.pop()!, { ...JPEG, 'x-api-key': '' }, 'PUT');
  };
  const tus = async (): Promise<() => Promise<OpenAnswer>> => {
    const paths: string[] = [];
    while (paths.length < 12) paths.push(await tusRequests(gateway).begin(90_000));
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    };
    return () => unfinished(paths.pop()!, { ...headers, 'content-length': '90000' }, 'PATCH');
  };

  test.each([
    ['by POST', async () => () => unfinished('/v1/uploads', JPEG)],
    ['by signed URLs', signed],
    ['by tus', tus],
  ])('gets its share of the places, and another account is accepted meanwhile: %s', async (_how, prepare) => {
    const start = await prepare();
    const refused: number[] = [];
    for (const answer of several(12, start))
      void answer.then(({ status }) => refused.push(status)).catch(() => undefined);
    await poll(() => refused.length).toBe(10);
    expect(new Set(refused)).toEqual(new Set([503]));
    for (let i = 0; i < 5; i += 1) expect(await upload(gateway.foreignKey)).toBe(202);
    expect(refused).toHaveLength(10);
  });

  test('loses its slowest body to a newcomer when no place is free', async () => {
    const others = [await newAccount(1), await newAccount(2), await newAccount(3)];
    const start = photo.subarray(0, 20_000);
    const hostile = several(2, () => unfinished('/v1/uploads', JPEG, 'POST', start));
    // Account for account, so that each finds a free place.
    const arrived = (count: number) =>
      poll(async () => (await gateway.records.stagedFiles.olderThan(-1000)).length).toBe(count);
    await arrived(2);
    const calm: Promise<OpenAnswer>[] = [];
    for (const key of others.slice(0, 2)) {
      calm.push(unfinished('/v1/uploads', { ...JPEG, 'x-api-key': key }, 'POST', start));
      await arrived(2 + calm.length);
    }
    expect(await upload(others[2])).toBe(202);
    const { status, headers, body } = await Promise.race(hostile);
    expect([status, body['code'], headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '2']);
    expect(body['detail']).toMatch(/Uploads of other accounts need the place/);
    // One place was enough.
    const left = Promise.race([...calm, ...hostile.slice(1)]).then(({ status: other }) => other);
    expect(await Promise.race([left, new Promise((resolve) => setTimeout(resolve, 200, 'open'))])).toBe('open');
  });
});

test('a gateway whose places are taken refuses within a second, before the body arrives, and recovers', async () => {
  const first = several(2, () => unfinished('/v1/uploads', JPEG));
  expect(first).toHaveLength(2);
  const third = await unfinished('/v1/uploads', JPEG);
  expect([third.status, third.body['code'], third.headers['retry-after']]).toEqual([503, 'UNAVAILABLE', '2']);
  expect([third.headers['idempotency-key'], third.headers['x-content-type-options']]).toEqual([
    expect.any(String),
    'nosniff',
  ]);
  const id = third.headers['x-request-id'] as string;
  open[2]!.destroy();
  const told = (): object[] =>
    gateway
      .logged()
      .split('\n')
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line) as object);
  await poll(told).toMatchObject([{ status: 503, code: 'UNAVAILABLE', accountId: gateway.account.id }]);
  open[0]!.destroy();
  await poll(upload).toBe(202);
});
