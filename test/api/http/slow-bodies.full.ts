import type { ClientRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import { createUrlSigner } from '../../../src/storage/signed-url.ts';
import { poll } from '../../support/poll.ts';
import { oneKey } from '../../support/signing-keys.ts';
import { tusRequests } from '../resumable-uploads/tus-requests.ts';
import { jpeg } from '../support/files.ts';
import { useGateway, type TestGateway } from '../support/gateway.ts';
import { openRequest, type OpenAnswer } from '../support/open-request.ts';
import { storedUpload } from '../support/records.ts';

/** The default floor and patience, with a second in the place of twenty. */
const FLOOR = 20_000;
const PATIENCE_MS = 1_500;

const MULTIPART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';

/** Sends one byte after another, without an end, until the connection ends. */
function drip(sent: ClientRequest): void {
  const timer = setInterval(() => sent.write(' '), PATIENCE_MS / 30);
  sent.once('close', () => clearInterval(timer));
  sent.on('error', () => sent.destroy());
}

async function signedPut(gateway: TestGateway, size: number) {
  const upload = await storedUpload(gateway, { status: 'UPLOAD_PENDING', objectKey: null, file: null });
  const signer = createUrlSigner({ keys: oneKey('a secret for tests only'), now: Date.now });
  const path = signer.sign(`/uploads/${upload.id}`, { size, type: 'image/jpeg' }, Date.now() + 60_000);
  return { upload, path };
}

describe('a body that arrives too slowly', () => {
  const gateway = useGateway({ limits: { bodyFloor: FLOOR, bodyPatienceMs: PATIENCE_MS } });
  const staged = async (): Promise<number> => (await gateway.records.stagedFiles.olderThan(-1000)).length;

  async function expectTimeout(sent: ClientRequest, answer: Promise<OpenAnswer>): Promise<void> {
    drip(sent);
    const { status, headers, body } = await answer;
    expect([status, headers['content-type'], headers.connection]).toEqual([408, 'application/problem+json', 'close']);
    const { retryable, remedy } = { retryable: true, remedy: FAILURES.REQUEST_TIMEOUT.remedy };
    expect(body).toMatchObject({ type: '/docs/errors/REQUEST_TIMEOUT', code: 'REQUEST_TIMEOUT', retryable, remedy });
    await poll(() => sent.socket?.destroyed).toBe(true);
    await poll(staged).toBe(0);
  }

  test.each([
    ['the file itself', '/v1/uploads', 'image/jpeg', ''],
    ['a form', '/v1/uploads', 'multipart/form-data; boundary=b', MULTIPART],
    ['JSON', '/v1/webhooks', 'application/json', '{"url":'],
    ['GraphQL', '/graphql', 'application/json', '{"query":'],
    ['JSON without a key', '/session', 'application/json', '{"apiKey":'],
  ])('is refused with 408 and a remedy, although it never pauses: %s', async (_what, path, type, start) => {
    const headers = { 'content-type': type, 'content-length': '90000', origin: 'http://burnish.test' };
    const [sent, answer] = openRequest(gateway, path, headers);
    const isFile = start === '' || type.startsWith('multipart');
    sent.write(isFile ? Buffer.concat([Buffer.from(start), await jpeg()]) : start);
    await expectTimeout(sent, answer);
    expect(gateway.temporal.starts).toEqual([]);
  });

  test('of items of a batch is refused', async () => {
    const created = await gateway.fetch('/v1/batches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enhancements: [{}] }),
    });
    expect(created.status).toBe(202);
    const { id } = await created.json();
    const headers = { 'content-type': 'application/x-ndjson', 'content-length': '90000' };
    const [sent, answer] = openRequest(gateway, `/v1/batches/${id}/items`, headers);
    sent.write('{"key":"a","url":"https://example.com/a.jpg"}\n');
    await expectTimeout(sent, answer);
  });

  test('of a signed PUT is refused, and the PUT can be repeated', async () => {
    const file = await jpeg();
    const { upload, path } = await signedPut(gateway, file.byteLength);
    const headers = { 'x-api-key': '', 'content-type': 'image/jpeg', 'content-length': String(file.byteLength) };
    const [sent, answer] = openRequest(gateway, path, headers, 'PUT');
    sent.write(file.subarray(0, -1000));
    await expectTimeout(sent, answer);
    expect(gateway.temporal.updates).toEqual([]);
    gateway.temporal.onUpdate = () => upload;
    const again = { method: 'PUT', key: null, headers: { 'content-type': 'image/jpeg' }, body: new Uint8Array(file) };
    expect((await gateway.fetch(path, again)).status).toBe(200);
  });

  test('of tus is refused, and its bytes are kept', async () => {
    const { begin, offsetOf } = tusRequests(gateway);
    const path = await begin(1_000_000);
    const before = await staged();
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': '900000',
    };
    const [sent, answer] = openRequest(gateway, path, headers, 'PATCH');
    const file = await jpeg();
    sent.write(file);
    drip(sent);
    expect((await answer).status).toBe(408);
    await poll(async () => (await offsetOf(path)) >= file.byteLength).toBe(true);
    expect(await staged()).toBe(before);
  });

  test('of a phone that is five times as fast, with pauses of two thirds of the patience, is accepted', async () => {
    const send = async (index: number): Promise<OpenAnswer> => {
      const file = Buffer.concat([await jpeg(), Buffer.alloc(100_000, index)]);
      const headers = { 'content-type': 'image/jpeg', 'content-length': String(file.byteLength) };
      const [sent, answer] = openRequest(gateway, '/v1/uploads', headers);
      for (let at = 0; at < file.byteLength; at += 10_000) {
        sent.write(file.subarray(at, at + 10_000));
        // As in a tunnel, after 3 to 7 seconds of 5 kB each.
        await pause(at % (30_000 + index * 10_000) === 20_000 ? (PATIENCE_MS * 2) / 3 : 100);
      }
      sent.end();
      return await answer;
    };
    const answers = await Promise.all([0, 1, 2, 3, 4].map(send));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  });
});

describe('without a floor', () => {
  const gateway = useGateway({ limits: { bodyFloor: 0, bodyPatienceMs: 300 } });

  test('a body that drips is accepted, and one that stops is refused', async () => {
    const file = await jpeg();
    const headers = { 'content-type': 'image/jpeg', 'content-length': String(file.byteLength) };
    const [dripping, accepted] = openRequest(gateway, '/v1/uploads', headers);
    dripping.write(file.subarray(0, -10));
    for (let left = 10; left > 0; left -= 1) {
      await pause(150);
      dripping.write(file.subarray(-left).subarray(0, 1));
    }
    expect((await accepted).status).toBe(202);
    const [silent, refused] = openRequest(gateway, '/v1/uploads', headers);
    silent.write(file.subarray(0, -1));
    expect((await refused).status).toBe(408);
  });
});
