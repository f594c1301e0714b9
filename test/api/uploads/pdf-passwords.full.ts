import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Upload, Failure } from '@burnish/contract';
import { idempotencyKeys } from '../../../src/database/schema/requests.ts';
import { changes } from '../../../src/database/schema/changes.ts';
import { uploadPasswords } from '../../../src/database/schema/upload-passwords.ts';
import { uploadStarts } from '../../../src/database/schema/upload-starts.ts';
import { uploads } from '../../../src/database/schema/uploads.ts';
import { largeEncryptedPdf } from '../../../packages/engine/test/pdf/encrypted-files.ts';
import { graphql, refusal } from '../graphql/support.ts';
import { uploadOf } from '../previews/stored-files.ts';
import { jpeg, pdf } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

/** Needs encoding in a header, and is found nowhere else. */
const PASSWORD = 'geheim & größe 7';

const gateway = useGateway();
const send = jsonRequests(() => gateway);
beforeEach(async () => {
  gateway.temporal.starts.length = 0;
  await gateway.database.orm.delete(uploadPasswords);
});

const raw = (body: Buffer, headers: Record<string, string> = {}, query = ''): Promise<TestResponse> =>
  gateway.fetch(`/v1/uploads${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream', ...headers },
    body: new Uint8Array(body),
  });
const form = (file: Buffer, fields: Record<string, string>): Promise<TestResponse> => {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', new Blob([new Uint8Array(file)]), 'a.pdf');
  return gateway.fetch('/v1/uploads', { method: 'POST', body });
};
const byAddress = (more: object = {}) => ({
  source: { url: 'https://example.com/a.pdf' },
  password: PASSWORD,
  ...more,
});
const announced = { filename: 'a.pdf', filesize: 30_000, mimetype: 'application/pdf', password: PASSWORD };
const idOf = async (answer: Promise<TestResponse>): Promise<string> => ((await (await answer).json()) as Upload).id;
const stored = (uploadId: string): Promise<string | undefined> =>
  gateway.records.uploadPasswords
    .withPassword(uploadId, ({ password }) =>
      password === undefined ? Promise.reject(encrypted()) : Promise.resolve(password),
    )
    .catch(() => undefined);
const encrypted = (): Failure => new Failure('ENCRYPTED_PDF');

describe('the password of a PDF', () => {
  test.each<[string, () => Promise<string>]>([
    ['JSON', () => idOf(send('POST', '/v1/uploads', { body: byAddress() }))],
    ['a form', () => idOf(form(pdf(), { password: PASSWORD }))],
    ['a header', () => idOf(raw(pdf(), { 'X-Pdf-Password': encodeURIComponent(PASSWORD) }))],
    ['the announcement of a file', () => idOf(send('POST', '/v1/uploads/signed', { body: announced }))],
    [
      'GraphQL',
      async () => {
        const input = { url: 'https://example.com/a.pdf', password: PASSWORD };
        const query = 'mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id } }';
        return (await graphql(gateway, query, { variables: { input } })).data.createUploadFromUrl.id;
      },
    ],
    [
      'GraphQL for an announced file',
      async () => {
        const query =
          'mutation ($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId } }';
        return (await graphql(gateway, query, { variables: { input: announced } })).data.createSignedUploadUrl.uploadId;
      },
    ],
  ])('sent by %s is stored encrypted and appears nowhere else', async (_, upload) => {
    const id = await upload();
    const [row] = await gateway.database.orm.select().from(uploadPasswords);
    expect(row).toMatchObject({ uploadId: id, secret: expect.stringMatching(/^sealed\.1\./) });
    expect(await stored(id)).toBe(PASSWORD);
    const tables = [uploads, uploadStarts, changes, idempotencyKeys, uploadPasswords] as const;
    const rows = await Promise.all(tables.map((table) => gateway.database.orm.select().from(table)));
    const record = await (await gateway.fetch(`/v1/uploads/${id}`)).text();
    const told = [JSON.stringify(rows), JSON.stringify(gateway.temporal.starts), gateway.logged(), record].join('\n');
    for (const form of [PASSWORD, encodeURIComponent(PASSWORD), 'geheim']) expect(told).not.toContain(form);
  });

  test.each<[string, () => Promise<TestResponse>, string]>([
    ['an image', async () => form(await jpeg(), { password: PASSWORD }), 'password'],
    ['the hosted service', () => send('POST', '/v1/uploads', { body: byAddress({ provider: 'HOSTED' }) }), 'provider'],
    ['an address', () => raw(pdf(), {}, '?password=geheim'), 'password'],
    ['a header that is not encoded', () => raw(pdf(), { 'X-Pdf-Password': '%E0%A4%A' }), 'X-Pdf-Password'],
    ['an empty field', () => form(pdf(), { password: '' }), 'password'],
    ['too long a field', () => form(pdf(), { password: `${PASSWORD}${'x'.repeat(127)}` }), 'password'],
  ])('is refused with %s, and the refusal does not repeat it', async (_, request, field) => {
    const answer = await request();
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(text).toContain(field);
    expect(text).not.toContain('geheim');
    expect(gateway.logged()).not.toContain('geheim');
    expect(await gateway.database.orm.select().from(uploadPasswords)).toEqual([]);
  });

  test('does not distinguish two otherwise equal requests', async () => {
    const first = await send('POST', '/v1/uploads', { body: byAddress(), once: 'same' });
    const again = await send('POST', '/v1/uploads', { body: byAddress({ password: 'another' }), once: 'same' });
    const { id } = await first.json();
    expect((await again.json()).id).toBe(id);
    expect(await stored(id)).toBe(PASSWORD);
  });
});

describe('a repeated analysis of a PDF', () => {
  const failed = { subStatus: 'METADATA_ANALYZED_FAILED', errorCode: 'WRONG_PASSWORD' } as const;

  test.each([
    ['after a failed one', failed, 'new'],
    ['after one that succeeded', { subStatus: 'METADATA_ANALYZED_SUCCESSFULLY' } as const, 'old'],
    ['beside one that runs', { subStatus: 'METADATA_ANALYZING' } as const, 'old'],
  ])('with a password %s uses the right one', async (_, state, kept) => {
    const upload = await uploadOf(gateway, pdf(), 'application/pdf', state);
    gateway.temporal.onUpdate = () => upload;
    await gateway.records.uploadPasswords.put(upload.id, 'old');
    const answer = await send('POST', `/v1/uploads/${upload.id}/analyze`, { body: { password: 'new' } });
    expect(answer.status).toBe(202);
    expect(await stored(upload.id)).toBe(kept);
    expect(gateway.temporal.updates.at(-1)).toMatchObject({ name: 'analyzeAgain', args: [] });
  });

  test('accepts a password in GraphQL too', async () => {
    const upload = await uploadOf(gateway, pdf(), 'application/pdf', failed);
    gateway.temporal.onUpdate = () => upload;
    const query =
      'mutation ($id: ID!, $p: String!) { analyzePdfWithPassword(uploadId: $id, password: $p) { success } }';
    const answer = await graphql(gateway, query, { variables: { id: upload.id, p: PASSWORD } });
    expect(answer.data).toEqual({ analyzePdfWithPassword: { success: true } });
    expect(await stored(upload.id)).toBe(PASSWORD);
    const long = await graphql(gateway, query, { variables: { id: upload.id, p: 'x'.repeat(200) } });
    expect(refusal(long)).toEqual(['BAD_USER_INPUT', 'password']);
  });

  test('refuses a password for an image and for an upload of another account', async () => {
    const image = await uploadOf(gateway, await jpeg(), 'image/jpeg');
    const body = { password: PASSWORD };
    const answer = await send('POST', `/v1/uploads/${image.id}/analyze`, { body });
    expect(await answer.json()).toMatchObject({ code: 'BAD_USER_INPUT', field: 'password' });
    const upload = await uploadOf(gateway, pdf(), 'application/pdf', failed);
    const foreign = await send('POST', `/v1/uploads/${upload.id}/analyze`, { body, key: gateway.foreignKey });
    expect(foreign.status).toBe(404);
    expect(await gateway.database.orm.select().from(uploadPasswords)).toEqual([]);
  });
});

describe('previews of an encrypted PDF', () => {
  test.each([
    ['without its password', undefined, 422, 'ENCRYPTED_PDF'],
    ['with a wrong password', 'wrong', 422, 'WRONG_PASSWORD'],
    ['with its password', 'secret', 200, undefined],
  ])('%s', async (_, password, status, code) => {
    const upload = await uploadOf(gateway, await largeEncryptedPdf(), 'application/pdf');
    if (password !== undefined) await gateway.records.uploadPasswords.put(upload.id, password);
    const images = await gateway.fetch(`/v1/uploads/${upload.id}/pdf-images`);
    const page = await gateway.fetch(`/v1/uploads/${upload.id}/pdf-pages/1/preview`);
    expect([images.status, page.status]).toEqual([status, status]);
    if (code !== undefined) expect([(await images.json()).code, (await page.json()).code]).toEqual([code, code]);
    // A refusal is not remembered, since the password may come at any moment.
    await gateway.records.uploadPasswords.put(upload.id, 'secret');
    expect((await gateway.fetch(`/v1/uploads/${upload.id}/pdf-images`)).status).toBe(200);
  });
});
