import { beforeAll, expect, test } from '@jest/globals';
import { uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { listenHttp } from '../../support/local-server.ts';
import { webhookReceiver, type ReceivedEvent } from '../../e2e/webhook-receiver.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { poll } from '../../support/poll.ts';
import { useForFile } from '../../support/use-for.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const receiver = useForFile(webhookReceiver);
let photo: Buffer;

beforeAll(async () => {
  photo = await jpeg();
});

// Answers are what the tests say they are: a wrong guess fails the test.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Answer = any;

const json = { 'Content-Type': 'application/json' };
async function send(path: string, init: RequestInit): Promise<Answer> {
  const response = await living.gateway.fetch(path, init);
  return { httpStatus: response.status, ...(await response.json()) };
}
const post = (path: string, body: unknown, headers = {}): Promise<Answer> =>
  send(path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
const read = (path: string): Promise<Answer> => send(path, {});
async function graphql(query: string, variables: object): Promise<Answer> {
  const { data, errors } = await post('/graphql', { query, variables });
  return errors === undefined ? Object.values(data as object)[0] : errors[0];
}
const hook = (): string => `http://127.0.0.1:${receiver.port}/`;
const secretText = 'Zr8-no-payload-has-this';
const metadata = { customer: secretText, lines: [{ sku: 7, gift: null }] };

/** The payloads in a history, wherever in its events they are. */
function payloadTexts(node: unknown): string[] {
  if (node instanceof Uint8Array) return [Buffer.from(node).toString()];
  if (typeof node !== 'object' || node === null) return [];
  return Object.values(node).flatMap(payloadTexts);
}

/** Each way to create an upload, with labels. */
const WAYS: Record<string, (reference: string) => Promise<Answer>> = {
  'the file as the body': (reference) =>
    send(`/v1/uploads?${new URLSearchParams({ reference, customMetadata: JSON.stringify(metadata) })}`, {
      method: 'POST',
      headers: { 'Content-Type': 'image/jpeg' },
      body: new Uint8Array(photo),
    }),
  'a form': (reference) => {
    const form = new FormData();
    form.set('reference', reference);
    form.set('customMetadata', JSON.stringify(metadata));
    form.set('file', new Blob([new Uint8Array(photo)]), 'a.jpg');
    return send('/v1/uploads', { method: 'POST', body: form });
  },
  'an address': (reference) =>
    post('/v1/uploads', { source: { url: 'https://example.com/a.jpg' }, reference, customMetadata: metadata }),
  'a signed URL': (reference) =>
    post('/v1/uploads/signed', {
      filename: 'a.jpg',
      filesize: 30_000,
      mimetype: 'image/jpeg',
      reference,
      customMetadata: metadata,
    }),
  'an address by GraphQL': async (reference) => {
    const input = { url: 'https://example.com/a.jpg', reference, customMetadata: JSON.stringify(metadata) };
    const query = `mutation($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id reference customMetadata } }`;
    const made = await graphql(query, { input });
    return { httpStatus: 202, ...made, customMetadata: JSON.parse(made.customMetadata) };
  },
  'a signed URL by GraphQL': async (reference) => {
    const file = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' };
    const query = `mutation($input: CreateSignedUploadUrlInput!) { createSignedUploadUrl(input: $input) { uploadId } }`;
    const made = await graphql(query, { input: { ...file, reference, customMetadata: JSON.stringify(metadata) } });
    return { ...(await read(`/v1/uploads/${made.uploadId}`)), httpStatus: 202 };
  },
};

test.each(Object.keys(WAYS))('an upload by %s keeps its reference and its metadata', async (way) => {
  const reference = `order ${way}`;
  const made = await WAYS[way]!(reference);
  expect(made).toMatchObject({ httpStatus: 202, reference, customMetadata: metadata });
  expect(await read(`/v1/uploads/${made.id}`)).toMatchObject({ reference, customMetadata: metadata });
  const { items } = await read(`/v1/uploads?${new URLSearchParams({ reference })}`);
  expect(items.map(({ id }: Answer) => id)).toEqual([made.id]);
});

test('labels of an upload and its enhancements appear in records, events and answers, and in no payload', async () => {
  const order = {
    reference: 'order-4711',
    customMetadata: JSON.stringify(metadata),
    webhookUrl: hook(),
    enhancements: JSON.stringify([{ reference: 'print-1', customMetadata: { size: 'A4' } }, {}]),
  };
  const upload = await send(`/v1/uploads?${new URLSearchParams(order)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body: new Uint8Array(photo),
  });
  expect(upload.enhancements.map(({ reference, customMetadata }: Answer) => [reference, customMetadata])).toEqual([
    ['print-1', { size: 'A4' }],
    [null, null],
  ]);
  const [first, second] = upload.enhancements.map(({ id }: Answer) => id as string);
  const answer = await post(
    `/v1/uploads/${upload.id}/enhancements`,
    { enhancements: [{ mode: 'VIVID', reference: 'print-2', customMetadata: metadata }] },
    { Prefer: 'wait=30' },
  );
  expect(answer.httpStatus).toBe(200);
  const [later] = answer.enhancements;
  expect(later).toMatchObject({ reference: 'print-2', customMetadata: metadata });
  expect(await read(`/v1/enhancements/${later.id}`)).toMatchObject({ reference: 'print-2', customMetadata: metadata });

  const dataOf = async (fits: (event: ReceivedEvent) => boolean): Promise<unknown> =>
    (await receiver.received(fits)).event.data;
  const about = (id: string, status: string) => (event: ReceivedEvent) =>
    event.data['id'] === id && event.data['status'] === status;
  const labels = { reference: 'order-4711', customMetadata: metadata };
  expect(await dataOf(about(upload.id, 'UPLOAD_FINISHED'))).toMatchObject(labels);
  expect(await dataOf(about(first, 'FINISHED'))).toMatchObject({
    reference: 'print-1',
    customMetadata: { size: 'A4' },
  });
  expect(await dataOf(about(later.id, 'FINISHED'))).toMatchObject({ reference: 'print-2', customMetadata: metadata });
  const plain = (await dataOf(about(second, 'FINISHED'))) as object;
  expect([Object.hasOwn(plain, 'reference'), Object.hasOwn(plain, 'customMetadata')]).toEqual([false, false]);

  const deleted = await send(`/v1/uploads/${upload.id}`, { method: 'DELETE' });
  expect(deleted).toMatchObject({ status: 'UPLOAD_DELETED', ...labels });
  expect(await dataOf(about(upload.id, 'UPLOAD_DELETED'))).toMatchObject(labels);
  const stream = await (await living.gateway.fetch(`/v1/uploads/${upload.id}/events`)).text();
  const snapshots = [...stream.matchAll(/^event: upload\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  expect(snapshots.map(({ reference }) => reference)).toEqual(snapshots.map(() => null));
  expect(snapshots.length).toBeGreaterThan(1);

  const handle = living.client.workflow.getHandle(uploadWorkflowId(upload.id));
  const history = payloadTexts((await handle.fetchHistory()).events).join('\n');
  expect(history).toContain('print-2');
  expect(history).not.toContain(secretText);
});

test('the operator can search a workflow by the reference of its upload and of each enhancement', async () => {
  const upload = await post('/v1/uploads/signed', {
    filename: 'a.jpg',
    filesize: 30_000,
    mimetype: 'image/jpeg',
    reference: 'invoice-1',
    enhancements: [{ reference: 'line-1' }],
  });
  const { client } = living;
  await poll(
    async () => (await client.workflow.getHandle(uploadWorkflowId(upload.id)).describe()).historyLength,
  ).toBeGreaterThan(3);
  const stored = await send('/v1/uploads?reference=invoice-2', {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body: new Uint8Array(photo),
  });
  await post(
    `/v1/uploads/${stored.id}/enhancements`,
    { enhancements: [{ reference: 'line-2' }] },
    { Prefer: 'wait=30' },
  );
  for (const [reference, id] of Object.entries({
    'invoice-1': upload.id,
    'line-1': upload.id,
    'invoice-2': stored.id,
    'line-2': stored.id,
  })) {
    const found = async (): Promise<string[]> => {
      const ids = [];
      for await (const { workflowId } of client.workflow.list({ query: `BurnishReference = "${reference}"` }))
        ids.push(workflowId);
      return ids;
    };
    await poll(found, { timeout: 15_000 }).toEqual([uploadWorkflowId(id)]);
  }
});

test('an upload with a lost workflow keeps its labels, and its new workflow has the reference', async () => {
  const remote = await listenHttp((_req, res) => {
    res.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(photo);
  });
  const upload = await post('/v1/uploads', {
    source: { url: `http://127.0.0.1:${remote.port}/a.jpg` },
    reference: 'lost-1',
    customMetadata: metadata,
  });
  await poll(async () => (await read(`/v1/uploads/${upload.id}`)).status).toBe('UPLOAD_FINISHED');
  await living.loseWorkflows();
  await post(`/v1/uploads/${upload.id}/enhancements`, { enhancements: [{}] }, { Prefer: 'wait=30' });
  expect(await read(`/v1/uploads/${upload.id}`)).toMatchObject({ reference: 'lost-1', customMetadata: metadata });
  const { searchAttributes } = await living.client.workflow.getHandle(uploadWorkflowId(upload.id)).describe();
  expect(searchAttributes['BurnishReference']).toEqual(['lost-1']);
  await remote[Symbol.asyncDispose]();
});

/** A metadata object of this many levels. */
const withLevels = (levels: number): Answer => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

test.each([
  ['reference', { reference: '' }],
  ['reference', { reference: 'x'.repeat(201) }],
  ['reference', { reference: 'line\nbreak' }],
  ['customMetadata', { customMetadata: [] }],
  ['customMetadata', { customMetadata: 'text' }],
  ['customMetadata', { customMetadata: { text: 'ü'.repeat(2_000) } }],
  ['customMetadata', { customMetadata: withLevels(51) }],
  ['customMetadata', { customMetadata: { text: 'nul \0' } }],
  ['customMetadata', { customMetadata: { '\ud800': 1 } }],
  ['customMetadata', { customMetadata: JSON.parse('{"__proto__":{"customer":"c-17"}}') }],
])('a %s that cannot be stored is refused by field: %j', async (field, label) => {
  const source = { url: 'https://example.com/a.jpg' };
  const upload = await post('/v1/uploads', { source, ...label });
  expect([upload.httpStatus, upload.code, upload.field]).toEqual([400, 'BAD_USER_INPUT', field]);
  const nested = await post('/v1/uploads', { source, enhancements: [label] });
  expect([nested.httpStatus, nested.field]).toEqual([400, `enhancements[0].${field}`]);
});

test('the largest labels are stored, and nulls in metadata survive both interfaces', async () => {
  const deep = withLevels(49);
  const length = 4_000 - JSON.stringify({ text: '', deep, none: null }).length;
  const customMetadata = { text: 'x'.repeat(length), deep, none: null };
  const reference = '漢'.repeat(200);
  const source = { url: 'https://example.com/a.jpg' };
  const { id } = await post('/v1/uploads', { source, reference, customMetadata });
  expect(await read(`/v1/uploads/${id}`)).toMatchObject({ reference, customMetadata });
  const shown = await graphql('query($id: ID!) { upload(id: $id) { reference customMetadata } }', { id });
  expect(shown.reference).toBe(reference);
  expect(JSON.parse(shown.customMetadata)).toEqual(customMetadata);
});

test('metadata other than a JSON object is refused by GraphQL with the path of the field', async () => {
  const query = `mutation($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id } }`;
  const url = 'https://example.com/a.jpg';
  for (const customMetadata of ['{', '[]', '"x"']) {
    const error = await graphql(query, { input: { url, customMetadata } });
    expect(error.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input.customMetadata' });
    const nested = await graphql(query, { input: { url, enhancements: [{ customMetadata }] } });
    expect(nested.extensions).toMatchObject({ field: 'input.enhancements[0].customMetadata' });
  }
});
