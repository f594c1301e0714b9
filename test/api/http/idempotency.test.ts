import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Upload } from '@burnish/contract';
import { type EnhancementRequest, initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { stagedFiles } from '../../../src/database/schema/requests.ts';
import { jpeg } from '../support/files.ts';
import { type TestResponse, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';
import { describedPaths } from '../../support/described-operations.ts';
import { poll } from '../../support/poll.ts';

/** A request, as method, path and body. */
type Call = [method: string, path: string, body?: unknown];

const gateway = useGateway();
const send = jsonRequests(() => gateway);
let upload: Upload;

beforeAll(async () => {
  upload = await storedUpload(gateway);
  gateway.temporal.onUpdate = ({ name, args }) =>
    name === 'requestEnhancements'
      ? (args[0] as EnhancementRequest[]).map((each) => initialEnhancement(each, upload, new Date().toISOString()))
      : upload;
});

const url = (name: string): unknown => ({ source: { url: `https://example.com/${name}` } });
const newUpload = async (): Promise<string> => (await storedUpload(gateway)).id;
const newEnhancement = async (): Promise<string> =>
  (await storedEnhancement(gateway, upload, { status: 'AWAITING_APPROVAL' })).id;
async function makeRoomForWebhook(): Promise<void> {
  const { items } = await (await send('GET', '/v1/webhooks')).json();
  // An account has room for five.
  if (items.length === 5) await send('DELETE', `/v1/webhooks/${items[0].id}`);
}
async function newWebhook(): Promise<string> {
  await makeRoomForWebhook();
  return (await (await send('POST', '/v1/webhooks', { body: { url: 'https://example.com/' } })).json()).id;
}
const newKey = async (): Promise<string> =>
  (await (await send('POST', '/v1/api-keys', { body: { name: 'x' } })).json()).id;
const declaration = { filename: 'a.jpg', filesize: 30_000, mimetype: 'image/jpeg' };

/** For each change: a request, and another one that its key must not serve. */
const CHANGES: Record<string, () => Promise<[Call, Call]>> = {
  createUpload: async () => [
    ['POST', '/v1/uploads', url('a')],
    ['POST', '/v1/uploads', url('b')],
  ],
  createSignedUpload: async () => [
    ['POST', '/v1/uploads/signed', declaration],
    ['POST', '/v1/uploads/signed', { ...declaration, filesize: 30_001 }],
  ],
  deleteUploads: async () => [
    ['POST', '/v1/uploads/delete', { ids: [await newUpload()] }],
    ['POST', '/v1/uploads/delete', { ids: [] }],
  ],
  createEnhancements: async () => [
    ['POST', `/v1/uploads/${upload.id}/enhancements`, { enhancements: [{ mode: 'OFF' }] }],
    ['POST', `/v1/uploads/${upload.id}/enhancements`, { enhancements: [{ mode: 'VIVID' }] }],
  ],
  ...perId('deleteUpload', 'DELETE', (id) => `/v1/uploads/${id}`, newUpload),
  ...perId('deleteResumableUpload', 'DELETE', (id) => `/v1/tus/${id}`, newUpload),
  ...perId('analyzeUpload', 'POST', (id) => `/v1/uploads/${id}/analyze`, newUpload),
  ...perId('completeSignedUpload', 'POST', (id) => `/v1/uploads/${id}/complete`, newUpload),
  ...perId('approveEnhancement', 'POST', (id) => `/v1/enhancements/${id}/approve`, newEnhancement),
  ...perId('rejectEnhancement', 'POST', (id) => `/v1/enhancements/${id}/reject`, newEnhancement),
  ...perId('cancelEnhancement', 'POST', (id) => `/v1/enhancements/${id}/cancel`, newEnhancement),
  savePreset: async () => [
    ['PUT', '/v1/presets/web', { enhancements: [{}] }],
    ['PUT', '/v1/presets/web', { enhancements: [{ mode: 'VIVID' }] }],
  ],
  ...perId('deletePreset', 'DELETE', (id) => `/v1/presets/${id}`, newPreset),
  createBatch: async () => [
    ['POST', '/v1/batches', { enhancements: [{}], samples: 1 }],
    ['POST', '/v1/batches', { enhancements: [{}], samples: 2 }],
  ],
  ...perId('closeBatch', 'POST', (id) => `/v1/batches/${id}/close`, newBatch),
  ...perId('approveBatch', 'POST', (id) => `/v1/batches/${id}/approve`, newBatch),
  ...perId('pauseBatch', 'POST', (id) => `/v1/batches/${id}/pause`, newBatch),
  ...perId('resumeBatch', 'POST', (id) => `/v1/batches/${id}/resume`, newBatch),
  ...perId('cancelBatch', 'POST', (id) => `/v1/batches/${id}/cancel`, newBatch),
  ...perId('retryBatch', 'POST', (id) => `/v1/batches/${id}/retry`, newBatch),
  createWebhook: async () => {
    await makeRoomForWebhook();
    return [
      ['POST', '/v1/webhooks', { url: 'https://example.com/a' }],
      ['POST', '/v1/webhooks', { url: 'https://example.com/b' }],
    ];
  },
  updateWebhook: async () => {
    const path = `/v1/webhooks/${await newWebhook()}`;
    return [
      ['PATCH', path, { enabled: false }],
      ['PATCH', path, { enabled: true }],
    ];
  },
  redeliverFailedWebhookDeliveries: async () => {
    const path = `/v1/webhooks/${await newWebhook()}/redeliver-failed`;
    return [
      ['POST', path, { since: '2026-01-01T00:00:00Z' }],
      ['POST', path, { since: '2026-01-02T00:00:00Z' }],
    ];
  },
  ...perId('rotateWebhookSecret', 'POST', (id) => `/v1/webhooks/${id}/rotate-secret`, newWebhook),
  ...perId('deleteWebhook', 'DELETE', (id) => `/v1/webhooks/${id}`, newWebhook),
  ...perId('testWebhook', 'POST', (id) => `/v1/webhooks/${id}/test`, newWebhook),
  ...perId('redeliverWebhookDelivery', 'POST', (id) => `/v1/webhook-deliveries/${id}/redeliver`, newDelivery),
  createApiKey: async () => [
    ['POST', '/v1/api-keys', { name: 'a' }],
    ['POST', '/v1/api-keys', { name: 'b' }],
  ],
  ...perId('deleteApiKey', 'DELETE', (id) => `/v1/api-keys/${id}`, newKey),
  updateSettings: async () => [
    ['PATCH', '/v1/settings', { uploadRetentionDays: 7 }],
    ['PATCH', '/v1/settings', { uploadRetentionDays: 8 }],
  ],
};

function perId(name: string, method: string, path: (id: string) => string, make: () => Promise<string>) {
  const call = (id: string): Call => (method === 'POST' ? [method, path(id), {}] : [method, path(id)]);
  return {
    [name]: async (): Promise<[Call, Call]> => [call(await make()), call(await make())],
  };
}

let presets = 0;
async function newPreset(): Promise<string> {
  presets += 1;
  const response = await send('PUT', `/v1/presets/p${presets}`, { body: { enhancements: [{}] } });
  return (await response.json()).name;
}

/** An account has room for 20 open ones. */
async function newBatch(): Promise<string> {
  return (await (await send('POST', '/v1/batches', { body: { enhancements: [{}] } })).json()).id;
}

let events = 0;
async function newDelivery(): Promise<string> {
  events += 1;
  const event = { id: `evt_${events}`, event: 'upload.deleted' as const, data: {}, created: upload.createdAt };
  const [planned] = await gateway.records.deliveries.recordEvent(gateway.account.id, event, 'https://example.com/own');
  return planned!.id;
}

const OTHERWISE_ONCE = [
  ...[
    'estimateEnhancements',
    'tryEnhancements',
    'tryLook',
    'saveLook',
    'deleteLook',
    'addBatchItems',
    'advanceTestClock',
  ],
  ...['createResumableUpload', 'appendToResumableUpload', 'addBatchPrefix'],
];

describe('an Idempotency-Key', () => {
  test('is accepted by every change in the OpenAPI description', () => {
    const changes = Object.entries(describedPaths).flatMap(([path, operations]) =>
      Object.entries(operations)
        // The operator's changes take no key.
        .filter(([method]) => /^\/v1\/(?!operator\/)/.test(path) && !['get', 'head', 'options'].includes(method))
        .map(([, operation]) => operation)
        // A POST that changes nothing, one whose lines have keys of their own, one for test keys (test-account.test.ts), one with
        // its order in headers (resumable-uploads.test.ts), a PATCH at an offset, and one that needs a bucket (bucket-items.full.ts), and
        // those of a look, which needs sixteen pictures (looks.test.ts).
        .filter(({ operationId }) => !OTHERWISE_ONCE.includes(operationId)),
    );
    for (const { operationId, parameters } of changes) {
      expect([operationId, parameters?.map(({ name }) => name)]).toEqual([
        operationId,
        expect.arrayContaining(['Idempotency-Key']),
      ]);
    }
    expect(changes.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(CHANGES).toSorted());
  });

  test.each(Object.entries(CHANGES))(
    'of %s returns the same answer to the same request, and refuses another',
    async (name, make) => {
      const [[method, path, body], other] = await make();
      const first = await send(method, path, { body, once: name });
      const again = await send(method, path, { body, once: name });
      expect(again.status).toBe(first.status);
      const told = [first, again].map(({ headers }) => headers.get('idempotent-replayed'));
      expect(told).toEqual([null, 'true']);
      expect([200, 201, 202, 204]).toContain(first.status);
      if (first.status !== 204) {
        const [one, two] = [await first.json(), await again.json()];
        expect(withoutSigned(two)).toEqual(
          withoutSigned({ ...one, ...pick({ secret: null, key: null }, Object.keys(one)) }),
        );
      }
      const refused = await send(other[0], other[1], { body: other[2], once: name });
      const { code, field } = await refused.json();
      expect([refused.status, code, field]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key']);
      expect(refused.headers.get('idempotent-replayed')).toBeNull();
      for (const malformed of ['with space', 'x'.repeat(256)]) {
        const response = await send(other[0], other[1], { body: other[2], once: malformed });
        expect([response.status, (await response.json()).code]).toEqual([400, 'BAD_USER_INPUT']);
      }
    },
  );

  test('of a file is refused with another file', async () => {
    const put = async (seed: number) =>
      gateway.fetch('/v1/uploads', {
        method: 'POST',
        headers: { 'Content-Type': 'image/jpeg', 'Idempotency-Key': 'file-1' },
        body: new Uint8Array(await jpeg(seed)),
      });
    expect([(await put(1)).status, (await put(1)).status, (await put(2)).status]).toEqual([202, 202, 422]);
  });

  test.each(['createUpload', 'createEnhancements', 'createWebhook', 'createApiKey'])(
    'of %s creates one record from parallel equal requests',
    async (name) => {
      const [[method, path, body]] = await CHANGES[name]!();
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => send(method, path, { body, once: `together-${name}` })),
      );
      const [made, refused] = [answers.filter(({ ok }) => ok), answers.filter(({ ok }) => !ok)];
      const records = await Promise.all(made.map((answer) => answer.json()));
      expect(new Set(made.map(({ status }) => status)).size).toBe(1);
      expect(new Set(records.map(({ id }) => id)).size).toBe(1);
      for (const answer of refused) expect([answer.status, (await answer.json()).code]).toEqual(IN_FLIGHT);
      const later = await send(method, path, { body, once: `together-${name}` });
      expect([later.status, (await later.json()).id]).toEqual([made[0]!.status, records[0].id]);
      // One of them has made the secret, and shows it.
      const secrets = records.map((record) => record.secret ?? record.key ?? null).filter((secret) => secret !== null);
      expect(secrets).toHaveLength(['createWebhook', 'createApiKey'].includes(name) ? 1 : 0);
    },
  );
});

describe('an idempotency key whose first request still runs', () => {
  const headers = (key: string): Record<string, string> => ({ 'Content-Type': 'image/jpeg', 'Idempotency-Key': key });

  test('is refused with 409 and Retry-After while the body arrives, and returns the record afterwards', async () => {
    const file = await jpeg(91);
    const upload = (): Promise<TestResponse> =>
      gateway.fetch('/v1/uploads', { method: 'POST', headers: headers('arriving'), body: new Uint8Array(file) });
    const first = await halfSent('arriving', file);
    const refused = await upload();
    expect([refused.status, (await refused.json()).code, refused.headers.get('retry-after')]).toEqual([
      ...IN_FLIGHT,
      '1',
    ]);
    // Whatever else comes with the key.
    expect((await send('POST', '/v1/api-keys', { body: { name: 'x' }, once: 'arriving' })).status).toBe(409);
    first.finish();
    const made = await first.answer;
    expect(made.status).toBe(202);
    const again = await upload();
    expect([again.status, (await again.json()).id]).toEqual([202, made.body.id]);
  });

  test('is free again after the first connection breaks', async () => {
    const file = await jpeg(92);
    const first = await halfSent('cut-off', file);
    first.answer.catch(() => undefined);
    first.abort();
    await poll(async () => {
      const body = new Uint8Array(file);
      return (await gateway.fetch('/v1/uploads', { method: 'POST', headers: headers('cut-off'), body })).status;
    }).toBe(202);
  });

  test('is free again after the connection broke before the caller was known', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    // The database looks the caller up after this transaction.
    const holding = gateway.database.orm.transaction(() => held);
    const { port } = new URL(gateway.url);
    const left = connect(Number(port), '127.0.0.1');
    const head = ['POST /v1/uploads HTTP/1.1', 'Host: localhost', `x-api-key: ${gateway.key}`, 'Idempotency-Key: left'];
    left.end(`${[...head, 'Content-Type: image/jpeg', 'Content-Length: 40000'].join('\r\n')}\r\n\r\n`);
    // The gateway ends its side once it has seen the end of the other.
    await once(left.resume(), 'close');
    release();
    await holding;
    expect((await send('POST', '/v1/uploads', { body: url('left'), once: 'left' })).status).toBe(202);
  });

  test('is free again after a refusal', async () => {
    const call = (name: string): Promise<{ status: number }> =>
      send('POST', '/v1/api-keys', { body: { name }, once: 'refused-first' });
    expect([(await call('')).status, (await call('good')).status]).toEqual([400, 201]);
  });

  test('does not wait for a result that the first request waits for', async () => {
    const body = JSON.stringify(url('waiting'));
    const post = (prefer: object): Promise<TestResponse> =>
      gateway.fetch('/v1/uploads', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'waiting', ...prefer },
        body,
      });
    const waiting = post({ Prefer: 'wait=4' });
    await poll(async () => (await post({})).status, { timeout: 3_000 }).toBe(202);
    expect((await waiting).status).toBe(202);
  }, 20_000);
});

const IN_FLIGHT = [409, 'IDEMPOTENCY_KEY_IN_FLIGHT'];

/** Sends the first half of a file as an upload, waits until the gateway takes it in, and sends the rest when asked to. */
async function halfSent(key: string, file: Buffer) {
  const call = request(`${gateway.url}/v1/uploads`, {
    method: 'POST',
    headers: {
      'x-api-key': gateway.key,
      'content-type': 'image/jpeg',
      'content-length': file.length,
      'idempotency-key': key,
    },
  });
  const answer = new Promise<{ status: number; body: { id: string } }>((resolve, reject) => {
    call.on('error', reject);
    call.on('response', (res) => {
      text(res).then((body) => resolve({ status: res.statusCode!, body: JSON.parse(body) }), reject);
    });
  });
  const half = Math.floor(file.length / 2);
  const staged = async (): Promise<number> => (await gateway.database.orm.select().from(stagedFiles)).length;
  const before = await staged();
  call.write(file.subarray(0, half));
  await poll(staged, { timeout: 10_000 }).toBe(before + 1);
  return { answer, finish: () => call.end(file.subarray(half)), abort: () => call.destroy() };
}

const pick = (from: Record<string, unknown>, names: string[]): object =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** Addresses of files are signed afresh at each read. */
const withoutSigned = (body: object): object => ({ ...body, url: null, fullUrl: null });
