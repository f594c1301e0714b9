import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FAILURES } from '../../../src/domain/failures.ts';
import { openFilesystemStore } from '../../../src/storage/filesystem/filesystem.ts';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { createGate } from '../../support/gate.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { poll } from '../../support/poll.ts';
import { jpeg } from '../support/files.ts';
import { testGateway, type TestGateway } from '../support/gateway.ts';
import { storedUpload } from '../support/records.ts';

const IDLE_MS = 100;

/** Starts a request whose body the test sends. */
function open(
  gateway: TestGateway,
  path: string,
  headers: Record<string, string>,
  method = 'POST',
): [ClientRequest, Promise<Answer>] {
  const sent = request(`${gateway.url}${path}`, { method, headers: { 'x-api-key': gateway.key, ...headers } });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response: IncomingMessage) => {
      text(response).then((body) => resolve({ response, body: JSON.parse(body) as Record<string, unknown> }), reject);
    });
  });
  answer.catch(() => undefined);
  return [sent, answer];
}

interface Answer {
  response: IncomingMessage;
  body: Record<string, unknown>;
}

describe('a request whose body stops arriving', () => {
  let gateway: TestGateway;
  beforeEach(async () => (gateway = await testGateway({}, { idleTimeoutMs: IDLE_MS })));
  afterEach(async () => await gateway[Symbol.asyncDispose]());

  const MULTIPART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';

  test.each([
    ['the file itself', '/v1/uploads', 'image/jpeg', ''],
    ['a form', '/v1/uploads', 'multipart/form-data; boundary=b', MULTIPART],
    ['JSON', '/v1/webhooks', 'application/json', '{"url":'],
    ['GraphQL', '/graphql', 'application/json', '{"query":'],
  ])('gets 408 with a remedy: %s', async (_what, path, type, start) => {
    const [sent, answer] = open(gateway, path, { 'content-type': type, 'content-length': '90000' });
    sent.write(
      start === '' || type.startsWith('multipart') ? Buffer.concat([Buffer.from(start), await jpeg()]) : start,
    );
    await expectTimeout(await answer);
    expect(gateway.temporal.starts).toEqual([]);
  });

  test('gets 408 with a remedy: a signed PUT, which can be repeated', async () => {
    const upload = await storedUpload(gateway, { status: 'UPLOAD_PENDING', objectKey: null, file: null });
    const signer = createUrlSigner({ keys: oneKey('a secret for tests only'), now: Date.now });
    const file = await jpeg();
    const claims = { size: file.byteLength, type: 'image/jpeg' };
    const path = signer.sign(`/uploads/${upload.id}`, claims, Date.now() + 60_000);
    const headers = { 'content-type': 'image/jpeg', 'content-length': String(file.byteLength) };
    const [sent, answer] = open(gateway, path, headers, 'PUT');
    sent.write(file.subarray(0, -1));
    await expectTimeout(await answer);
    expect(gateway.temporal.updates).toEqual([]);
    gateway.temporal.onUpdate = () => upload;
    const again = { method: 'PUT', key: null, headers: { 'content-type': 'image/jpeg' }, body: new Uint8Array(file) };
    expect((await gateway.fetch(path, again)).status).toBe(200);
  });

  async function expectTimeout({ response, body }: Answer): Promise<void> {
    expect([response.statusCode, response.headers['content-type']]).toEqual([408, 'application/problem+json']);
    expect(body).toMatchObject({
      type: '/docs/errors/REQUEST_TIMEOUT',
      code: 'REQUEST_TIMEOUT',
      retryable: true,
      remedy: FAILURES.REQUEST_TIMEOUT.remedy,
    });
    await poll(async () => (await gateway.records.stagedFiles.olderThan(-1000)).length).toBe(0);
  }
});

describe('a request that the gateway itself delays', () => {
  const timeouts: ServerResponse[] = [];
  const watch = (message: unknown): void => {
    const { response } = message as { response: ServerResponse };
    response.on('timeout', () => timeouts.push(response));
  };
  beforeEach(() => subscribe('http.server.request.start', watch));
  afterEach(() => {
    unsubscribe('http.server.request.start', watch);
    timeouts.length = 0;
  });

  test.each([
    ['before storage reads its body', (wait: () => Promise<void>) => ({ before: wait })],
    ['after its body has arrived', (wait: () => Promise<void>) => ({ after: wait })],
  ])('is accepted after several idle timeouts: %s', async (_when, waits) => {
    await using folder = await temporaryFolder();
    const storage = await openFilesystemStore(folder.path);
    const gate = createGate();
    const { before, after } = waits(() => gate.opened) as Partial<Record<'before' | 'after', () => Promise<void>>>;
    const put: typeof storage.put = async (...args) => {
      await before?.();
      const stored = await storage.put(...args);
      await after?.();
      return stored;
    };
    await using gateway = await testGateway({ storage: { ...storage, put } }, { idleTimeoutMs: IDLE_MS });
    const photo = Buffer.concat([await jpeg(), Buffer.alloc(8_000_000)]);
    const [sent, answer] = open(gateway, '/v1/uploads', {
      'content-type': 'image/jpeg',
      'content-length': String(photo.byteLength),
    });
    sent.end(photo);
    await poll(() => timeouts.length).toBeGreaterThan(2);
    gate.open();
    expect((await answer).response.statusCode).toBe(202);
  });
});
