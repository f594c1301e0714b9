import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Burnish } from '@burnish/client';
import { eq, sql } from 'drizzle-orm';
import { SEED_PLANS } from '@burnish/contract';
import { startBatch } from '../../../src/api/batches/send-to-batch.ts';
import { OWN_WORK } from '../../../src/api/commands/workflow-commands.ts';
import { createBatchReturns } from '../../../src/api/reconcile/return-batches.ts';
import { batches } from '../../../src/database/schema/batches.ts';
import { batchState, batchWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { graphql } from '../graphql/support.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { jsonRequests } from '../support/requests.ts';
import { createGate } from '../../support/gate.ts';
import { poll } from '../../support/poll.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
let files: Server;
let origin: string;
const send = jsonRequests(() => living.gateway);

beforeAll(async () => {
  // Each path has a picture of its own; /missing has none.
  files = createServer((request, response) => {
    const number = Number(/(\d+)\.jpg$/.exec(request.url ?? '')?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) response.writeHead(404).end();
    else void jpeg(number + 1).then((bytes) => response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(bytes));
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
});
afterAll(() => void files.close());

async function create(body: object, enhancement: object = {}): Promise<Json> {
  const response = await send('POST', '/v1/batches', { body: { enhancements: [enhancement], ...body } });
  expect([response.status, response.headers.get('location')]).toEqual([
    202,
    expect.stringMatching(/^\/v1\/batches\/bat_/),
  ]);
  return response.json();
}
const read = async (id: string): Promise<Json> => (await send('GET', `/v1/batches/${id}`)).json();
const reaches = (id: string, status: string): Promise<void> =>
  poll(async () => (await read(id)).status, { timeout: 40_000 }).toBe(status);

async function add(id: string, body: string, type = 'application/x-ndjson', once?: string): Promise<[number, Json]> {
  const headers = { 'Content-Type': type, ...(once !== undefined && { 'Idempotency-Key': once }) };
  const response = await living.gateway.fetch(`/v1/batches/${id}/items`, { method: 'POST', headers, body });
  return [response.status, await response.json()];
}
const ndjson = (...items: object[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');
const numbered = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ url: `${origin}/${from + index}.jpg`, key: `k${from + index}` }));

async function manifest(id: string, query = ''): Promise<Json[]> {
  const text = await (await send('GET', `/v1/batches/${id}/manifest${query}`)).text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a batch runs its samples, waits for one approval, and its manifest names each input once', async () => {
  const made = await create({ samples: 2, reference: 'catalogue' }, { upscalingFactor: 'X2' });
  expect(made.enhancements).toEqual([{ upscalingFactor: 'X2' }]);
  expect(made).toMatchObject({ status: 'COLLECTING', samples: 2, reference: 'catalogue', counts: { items: 0 } });
  const items = [...numbered(1, 4), { url: `${origin}/missing`, reference: 'lost' }];
  expect(await add(made.id, ndjson(...items))).toEqual([200, { added: 5, repeated: 0 }]);
  expect(await add(made.id, ndjson(...items, ...numbered(5, 1)))).toEqual([200, { added: 1, repeated: 5 }]);
  expect((await send('POST', `/v1/batches/${made.id}/close`)).status).toBe(202);
  await reaches(made.id, 'APPROVAL_NEEDED');
  const waiting = await read(made.id);
  expect(waiting.counts).toMatchObject({ items: 6, pending: 4, running: 0 });
  expect(waiting.prediction).toMatchObject({ credits: expect.any(Number), failures: expect.any(Number) });
  const samples = (await manifest(made.id)).filter(({ sample }) => sample);
  expect(samples).toHaveLength(2);
  expect((await manifest(made.id, '?samples=true')).map(({ key }) => key)).toEqual(samples.map(({ key }) => key));

  expect((await send('POST', `/v1/batches/${made.id}/approve`)).status).toBe(202);
  await reaches(made.id, 'FINISHED');
  const ended = await read(made.id);
  expect(ended.counts).toEqual({ items: 6, pending: 0, running: 0, finished: 5, failed: 1, cancelled: 0 });
  const lines = await manifest(made.id);
  expect(lines.map(({ key }) => key)).toEqual(['k1', 'k2', 'k3', 'k4', `${origin}/missing`, 'k5']);
  expect(lines[4]).toMatchObject({ state: 'FAILED', reference: 'lost', credits: 0, resultUrl: null });
  expect(lines[4].errorCode).toEqual(expect.any(String));
  expect(lines.reduce((sum, { credits }) => sum + credits, 0)).toBe(ended.chargedCredits);
  const upload = await (await send('GET', `/v1/uploads/${lines[0].uploadId}`)).json();
  expect(upload.enhancements).toMatchObject([{ id: lines[0].enhancementId, fullUrl: lines[0].resultUrl }]);

  const csv = await send('GET', `/v1/batches/${made.id}/manifest?format=csv`);
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const rows = (await csv.text()).trim().split('\r\n');
  expect(rows[0]).toBe('key,url,reference,state,sample,uploadId,enhancementId,credits,errorCode,resultUrl,bucket');
  expect(rows).toHaveLength(7);
}, 90_000);

describe('items', () => {
  let id: string;
  beforeAll(async () => {
    ({ id } = await create({ samples: 20 }));
  });

  test.each([
    ['a line without JSON', '{"url":', 'Line 1: The line is not valid JSON at column 8.'],
    ['an unknown field', ndjson({ url: 'https://example.com/1.jpg', mode: 'OFF' }), 'Line 1: '],
    ['neither url nor uploadId', '\n{"key":"a"}', 'Line 2: The line is not valid.'],
    [
      'both',
      ndjson({ url: 'https://example.com/1.jpg', uploadId: `upl_${'1'.repeat(26)}` }),
      'Line 1: The line is not valid.',
    ],
    ['an unknown upload', ndjson({ uploadId: `upl_${'1'.repeat(26)}` }), 'Line 1: The account has no upload'],
    ['a long line', JSON.stringify({ url: `https://example.com/${'x'.repeat(20_000)}` }), 'Line 1: A line has at most'],
    ['the first of many lines', `{"url":\n${ndjson(...numbered(0, 50_000))}`, 'Line 1: The line is not valid JSON'],
  ])('are refused by their line: %s', async (_what, body, detail) => {
    const [status, problem] = await add(id, body);
    expect([status, problem.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(problem.detail).toContain(detail);
  });

  test('with a private address are refused by their line', async () => {
    const body = ndjson(...numbered(1, 1), { url: 'http://10.0.0.1/x.jpg' });
    expect(await add(id, body)).toMatchObject([422, { code: 'URL_NOT_ALLOWED', field: 'line 2' }]);
  });

  test('with a known key and another input are refused', async () => {
    expect(await add(id, ndjson({ url: 'https://example.com/1.jpg', key: 'same' }))).toMatchObject([200, { added: 1 }]);
    const [status, { detail }] = await add(id, ndjson({ url: 'https://example.com/2.jpg', key: 'same' }));
    expect([status, detail]).toEqual([400, 'The batch has another input with the key "same".']);
  });

  test.each(['REST', 'GraphQL'])('of another request with the same Idempotency-Key are refused in %s', async (way) => {
    const once = `items-${way}`;
    const document =
      'mutation ($id: ID!, $items: [BatchItemInput!]!) { addBatchItems(id: $id, items: $items) { added } }';
    const send = async (items: object[]): Promise<unknown> => {
      if (way === 'REST') {
        const [, { added, code }] = await add(id, ndjson(...items), undefined, once);
        return added ?? code;
      }
      const call = { variables: { id, items }, headers: { 'Idempotency-Key': once } };
      const { data, errors } = await graphql(living.gateway, document, call);
      return data?.addBatchItems?.added ?? errors?.[0]?.extensions.code;
    };
    const key = way === 'REST' ? 200 : 300;
    expect(await send(numbered(key, 2))).toBe(2);
    expect(await send(numbered(key, 2))).toBe(0);
    expect(await send(numbered(key + 2, 2))).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('are refused with another content type, and after the end', async () => {
    expect(await add(id, '{}', 'text/plain')).toMatchObject([415, { code: 'UNSUPPORTED_MEDIA_TYPE' }]);
    const { id: cancelled } = await create({ samples: 0 });
    expect((await send('POST', `/v1/batches/${cancelled}/cancel`)).status).toBe(202);
    await reaches(cancelled, 'CANCELLED');
    expect(await add(cancelled, ndjson(...numbered(1, 1)))).toMatchObject([409, { code: 'CONFLICT' }]);
  });
});

test('items whose files have not arrived leave the window to the others', async () => {
  const declaration = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' };
  const uploads = await Promise.all(
    Array.from(
      { length: 50 },
      async () => (await (await send('POST', '/v1/uploads/signed', { body: declaration })).json()).id as string,
    ),
  );
  const { id } = await create({ samples: 0, maxCredits: 500 });
  expect(await add(id, ndjson(...uploads.map((uploadId) => ({ uploadId })), ...numbered(400, 2)))).toMatchObject([
    200,
    { added: 52 },
  ]);
  await poll(async () => (await read(id)).counts, { timeout: 30_000 }).toMatchObject({
    pending: 50,
    running: 0,
    finished: 2,
  });
  expect(await read(id)).toMatchObject({ status: 'RUNNING', pauseReason: null });
  // Once its upload has failed, an item waits no longer.
  expect((await send('DELETE', `/v1/uploads/${uploads[0]}`)).status).toBe(202);
  await poll(async () => (await read(id)).counts, { timeout: 30_000 }).toMatchObject({ pending: 49, failed: 1 });
  expect((await send('POST', `/v1/batches/${id}/cancel`)).status).toBe(202);
}, 90_000);

test('the client adds items, approves, and reads the manifest', async () => {
  const { url: baseUrl, key: apiKey } = living.gateway;
  const { batches } = new Burnish({ baseUrl, apiKey });
  const { id } = await batches.create({ enhancements: [{}], samples: 1 });
  const items = Array.from({ length: 3 }, (_, index) => ({
    url: `${origin}/${index + 70}.jpg`,
    reference: `ü${index}`,
  }));
  expect(await batches.add(id, items)).toEqual({ added: 3, repeated: 0 });
  await batches.close(id);
  await reaches(id, 'APPROVAL_NEEDED');
  await batches.approve(id);
  await reaches(id, 'FINISHED');
  const lines = [];
  for await (const line of batches.manifest(id)) lines.push(line);
  expect(lines.map(({ reference, state }) => [reference, state])).toEqual([
    ['ü0', 'FINISHED'],
    ['ü1', 'FINISHED'],
    ['ü2', 'FINISHED'],
  ]);
}, 60_000);

test('a batch that lost its workflow, however young, gets it back', async () => {
  const { id } = await create({ samples: 1 });
  const handle = living.client.workflow.getHandle(batchWorkflowId(id));
  await handle.terminate('lost');
  await createBatchReturns()(living.reconciling, new AbortController().signal);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  expect((await send('POST', `/v1/batches/${id}/cancel`)).status).toBe(202);
});

/** Looks at the workflows of open batches, each time later, until a batch has a status: one look may find its workflow busy. */
async function looksUntil(id: string, status: string): Promise<void> {
  const look = createBatchReturns();
  const lookAgain = async (): Promise<string> => {
    living.gateway.clock.aheadMs += 20_000;
    await look(living.reconciling, new AbortController().signal);
    return (await read(id)).status;
  };
  await poll(lookAgain, { timeout: 40_000 }).toBe(status);
}

test('a batch whose workflow is older than its record goes on from the record, with its running items', async () => {
  const { id } = await create({ samples: 1 }, { upscalingFactor: 'X2' });
  await add(id, ndjson(...numbered(60, 3)));
  await send('POST', `/v1/batches/${id}/close`);
  await reaches(id, 'APPROVAL_NEEDED');
  const { account, records } = living.gateway;
  const older = (await records.batches.get(account.id, id))!;
  const gate = createGate();
  living.provider.script.enhance = () => gate.opened;
  await send('POST', `/v1/batches/${id}/approve`);
  await poll(async () => (await read(id)).counts, { timeout: 30_000 }).toMatchObject({ running: 2 });
  const lost = living.client.workflow.getHandle(batchWorkflowId(id));
  await lost.terminate('lost');
  await startBatch(living.client, OWN_WORK, older, { id: 'BASIC', ...SEED_PLANS.BASIC });
  gate.open();
  await looksUntil(id, 'FINISHED');
  expect((await read(id)).counts).toMatchObject({ running: 0, finished: 3 });
});

test('a batch of the same status whose workflow is older goes on from the record, and only its real end is told', async () => {
  const { id } = await create({ samples: 0 });
  await add(id, ndjson(...numbered(66, 1)));
  await poll(async () => (await read(id)).counts, { timeout: 30_000 }).toMatchObject({ finished: 1 });
  const { account, records, database } = living.gateway;
  const older = (await records.batches.get(account.id, id))!;
  const revision = sql`${batches.revision} + 2`;
  await database.orm.update(batches).set({ maxCredits: 77, revision }).where(eq(batches.id, id));
  const early = { ...older, status: 'FINISHED', revision: older.revision + 1 } as const;
  const announce = {
    kind: 'batch.ended',
    eventKey: `batch.ended round-${older.round}`,
    created: older.createdAt,
  } as const;
  await records.batches.record({ batch: early, announce });
  const handle = living.client.workflow.getHandle(batchWorkflowId(id));
  const look = createBatchReturns();
  const lookAgain = async (): Promise<unknown> => {
    living.gateway.clock.aheadMs += 20_000;
    await look(living.reconciling, new AbortController().signal);
    return handle.query(batchState);
  };
  await poll(lookAgain, { timeout: 40_000 }).toMatchObject({ maxCredits: 77 });
  await send('POST', `/v1/batches/${id}/close`);
  await reaches(id, 'FINISHED');
  const told = await (await send('GET', '/v1/events?since=2026-01-01T00:00:00Z&until=now&events=batch.ended')).text();
  expect(told.split('\n').filter((line) => line.includes(id))).toEqual([expect.stringContaining('"FINISHED"')]);
}, 90_000);

test('a record that is older than the workflow of its batch is written again', async () => {
  const { id } = await create({ samples: 1 });
  await add(id, ndjson(...numbered(63, 2)));
  await send('POST', `/v1/batches/${id}/close`);
  await reaches(id, 'APPROVAL_NEEDED');
  const { orm } = living.gateway.database;
  const revision = sql`${batches.revision} - 1`;
  await orm.update(batches).set({ status: 'SAMPLING', prediction: null, revision }).where(eq(batches.id, id));
  await looksUntil(id, 'APPROVAL_NEEDED');
  expect(await read(id)).toMatchObject({ prediction: { credits: expect.any(Number) } });
  expect((await send('POST', `/v1/batches/${id}/cancel`)).status).toBe(202);
});

test('invalid batches are refused with the name of the field', async () => {
  for (const [body, field] of [
    [{ enhancements: [{ targetResolution: 1200 }] }, 'enhancements[0].targetResolution'],
    [{ enhancements: [{ upscalingFactor: 'X2', targetResolution: 300 }] }, 'enhancements[0].upscalingFactor'],
    [{ enhancements: [{ preset: 'none' }] }, 'enhancements[0].preset'],
    [{ enhancements: [{ maxCredits: 4 }] }, 'enhancements[0].maxCredits'],
    [{ enhancements: [{ pdf: { pages: { 2: 'ORIGINAL', 3: 'DROP' } } }] }, 'enhancements[0].pdf.pages'],
    [{ enhancements: [{}, {}] }, 'enhancements'],
    [{ parameters: { upscalingFactor: 'X2' } }, 'parameters'],
    [{}, 'enhancements'],
    [{ enhancements: [{}], preset: 'web' }, 'preset'],
    [{ enhancements: [{}], samples: 101 }, 'samples'],
    [{ enhancements: [{}], maxCredits: -1 }, 'maxCredits'],
  ] as const) {
    const response = await send('POST', '/v1/batches', { body });
    expect([response.status, (await response.json()).field]).toEqual([expect.any(Number), field]);
    expect(response.status).toBeLessThan(500);
  }
});

test('an account has at most 20 open batches, also by requests at the same time', async () => {
  const { items } = await (await send('GET', '/v1/batches?limit=100')).json();
  const open = items.filter(({ status }: Json) => status !== 'FINISHED' && status !== 'CANCELLED').length;
  for (let more = open; more < 15; more += 1) await create({ samples: 0 });
  const room = 20 - Math.max(open, 15);
  const orders = Array.from({ length: room + 8 }, () =>
    send('POST', '/v1/batches', { body: { enhancements: [{}], samples: 0 } }),
  );
  const statuses = (await Promise.all(orders)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(room);
  expect(statuses.filter((status) => status === 429)).toHaveLength(8);
  for (const { id, status } of (await (await send('GET', '/v1/batches?limit=100')).json()).items) {
    if (status === 'RUNNING' || status === 'COLLECTING') await send('POST', `/v1/batches/${id}/cancel`);
  }
}, 60_000);

test('the size of a batch in centimetres is the size of each file', async () => {
  const parameters = { targetWidthCm: 5.5, targetHeightCm: 4, targetDpi: 240, fit: 'COVER' };
  const { id } = await create({ samples: 0 }, parameters);
  await add(id, ndjson(...numbered(50, 2)));
  await send('POST', `/v1/batches/${id}/close`);
  await reaches(id, 'FINISHED');
  const lines = await manifest(id);
  expect(lines).toHaveLength(2);
  for (const { enhancementId } of lines)
    expect(await (await send('GET', `/v1/enhancements/${enhancementId}`)).json()).toMatchObject({ parameters });
});

test('GraphQL leads a batch from its creation to its manifest', async () => {
  const ask = async (document: string, variables: object = {}): Promise<Json> => {
    const answer = await graphql(living.gateway, document, { variables: { ...variables } });
    expect(answer.errors).toBeUndefined();
    return answer.data;
  };
  await send('PUT', '/v1/presets/web', { body: { enhancements: [{ outputFormat: 'WEBP' }] } });
  const { createBatch } = await ask(
    'mutation { createBatch(input: { samples: 0, enhancements: [{ upscalingFactor: X2, presetName: "web" }] }) { id status enhancements { upscalingFactor outputFormat presetName destination { key } pdf { split } } } }',
  );
  expect(createBatch).toMatchObject({
    status: 'RUNNING',
    enhancements: [
      { upscalingFactor: 'X2', outputFormat: 'WEBP', presetName: 'web@1', destination: null, pdf: { split: null } },
    ],
  });
  const { id } = createBatch;
  const items = numbered(40, 2);
  const add =
    'mutation ($id: ID!, $items: [BatchItemInput!]!) { addBatchItems(id: $id, items: $items) { added repeated } }';
  expect(await ask(add, { id, items })).toEqual({ addBatchItems: { added: 2, repeated: 0 } });
  const { pauseBatch } = await ask('mutation ($id: ID!) { pauseBatch(id: $id) { status pauseReason } }', { id });
  expect(pauseBatch).toEqual({ status: 'PAUSED', pauseReason: 'request' });
  expect((await ask('mutation ($id: ID!) { resumeBatch(id: $id) { status } }', { id })).resumeBatch.status).toBe(
    'RUNNING',
  );
  await ask('mutation ($id: ID!) { closeBatch(id: $id) { closedAt } }', { id });
  await reaches(id, 'FINISHED');
  const { batch, batches, batchManifest } = await ask(
    'query ($id: ID!) { batch(id: $id) { counts { finished } } batches(first: 1) { nodes { id } } batchManifest(id: $id) { next items { key state resultUrl } } }',
    { id },
  );
  expect([batch.counts.finished, batches.nodes, batchManifest.next]).toEqual([2, [{ id }], null]);
  expect(batchManifest.items).toMatchObject([
    { key: 'k40', state: 'FINISHED', resultUrl: expect.any(String) },
    { key: 'k41', state: 'FINISHED' },
  ]);
}, 60_000);
