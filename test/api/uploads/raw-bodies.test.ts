import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { jpeg } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';

const gateway = useGateway();
/** The type that curl sends by itself. */
const FORM = 'application/x-www-form-urlencoded';
let photo: Buffer;

beforeAll(async () => {
  photo = await jpeg();
});

const send = (body: Buffer, type: string): Promise<TestResponse> =>
  gateway.fetch('/v1/uploads?reference=raw', {
    method: 'POST',
    headers: { 'Content-Type': type },
    body: new Uint8Array(body),
  });

test.each([['image/jpeg'], ['application/octet-stream'], [FORM], [`${FORM.toUpperCase()}; charset=utf-8`], ['']])(
  'a photograph is accepted with the Content-Type %p, and kept byte by byte',
  async (type) => {
    gateway.temporal.starts.length = 0;
    const response = await send(photo, type);
    const body = await response.json();
    expect([response.status, body.mimetype, body.reference]).toEqual([202, 'image/jpeg', 'raw']);
    const sha256 = createHash('sha256').update(photo).digest('hex');
    const file = { size: photo.byteLength, sha256, mimetype: 'image/jpeg' };
    expect(gateway.temporal.starts[0]!.options.args[0]).toMatchObject({ source: { kind: 'stored', file } });
  },
);

/** The bytes that `curl -d @file` sends. */
const asText = (bytes: Buffer): Buffer => Buffer.from(bytes.filter((byte) => ![0, 10, 13].includes(byte)));

test.each([
  ['an empty body', () => Buffer.alloc(0), '', 'Send the bytes of a file.'],
  ['JSON', () => Buffer.from('{ "source": {} }'), FORM, 'Content-Type: application/json'],
  ['a form without a file', () => Buffer.from('reference=a&filename=b.jpg'), FORM, 'curl -F file=@photo.jpg'],
  ['a photograph by curl -d', () => asText(photo), FORM, 'curl --data-binary @photo.jpg'],
  ['a text', () => Buffer.alloc(30_000, 'text\n'), FORM, 'Save the file as JPEG'],
  ['a photograph as text', () => photo, 'text/plain', 'application/octet-stream'],
])('%s is refused with its remedy, and nothing is stored', async (_what, body, type, remedy) => {
  const before = await gateway.records.stagedFiles.olderThan(-1000);
  const response = await send(body(), type);
  expect(response.status).toBe(415);
  const problem = await response.json();
  expect(problem).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', remedy: expect.stringContaining(remedy) });
  expect(await gateway.records.stagedFiles.olderThan(-1000)).toEqual(before);
});
