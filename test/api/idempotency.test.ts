import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EnhancementRequest } from '../../src/domain/enhancement/enhancement.ts';
import { initialEnhancement } from '../../src/domain/upload/initial-states.ts';
import type { Upload } from '../../src/domain/upload/upload.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { jpeg } from './support/files.ts';
import { testGateway } from './support/gateway.ts';
import type { TestGateway } from './support/gateway.ts';
import { storedEnhancement, storedUpload } from './support/records.ts';
import { jsonRequests } from './support/requests.ts';

/** A request, as method, path and body. */
type Call = [method: string, path: string, body?: unknown];

let gateway: TestGateway;
const send = jsonRequests(() => gateway);
let upload: Upload;

beforeAll(async () => {
  gateway = await testGateway();
  upload = await storedUpload(gateway);
  gateway.temporal.onUpdate = ({ name, args }) =>
    name === 'requestEnhancement'
      ? initialEnhancement(args[0] as EnhancementRequest, upload, new Date().toISOString())
      : upload;
});
afterAll(() => gateway[Symbol.asyncDispose]());

const url = (name: string): unknown => ({ source: { url: `https://example.com/${name}` } });
const newUpload = async (): Promise<string> => (await storedUpload(gateway)).id;
const newEnhancement = async (): Promise<string> =>
  (await storedEnhancement(gateway, upload, { status: 'AWAITING_APPROVAL' })).id;
async function newWebhook(): Promise<string> {
  const { items } = await (await send('GET', '/v1/webhooks')).json();
  // An account has room for five.
  if (items.length === 5) await send('DELETE', `/v1/webhooks/${items[0].id}`);
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
  requestEnhancement: async () => [
    ['POST', `/v1/uploads/${upload.id}/enhancements`, { mode: 'OFF' }],
    ['POST', `/v1/uploads/${upload.id}/enhancements`, { mode: 'VIVID' }],
  ],
  ...perId('deleteUpload', 'DELETE', (id) => `/v1/uploads/${id}`, newUpload),
  ...perId('analyzeAgain', 'POST', (id) => `/v1/uploads/${id}/analyze`, newUpload),
  ...perId('completeSignedUpload', 'POST', (id) => `/v1/uploads/${id}/complete`, newUpload),
  ...perId('approveEnhancement', 'POST', (id) => `/v1/enhancements/${id}/approve`, newEnhancement),
  ...perId('rejectEnhancement', 'POST', (id) => `/v1/enhancements/${id}/reject`, newEnhancement),
  ...perId('cancelEnhancement', 'POST', (id) => `/v1/enhancements/${id}/cancel`, newEnhancement),
  createWebhook: async () => [
    ['POST', '/v1/webhooks', { url: 'https://example.com/a' }],
    ['POST', '/v1/webhooks', { url: 'https://example.com/b' }],
  ],
  changeWebhook: async () => {
    const path = `/v1/webhooks/${await newWebhook()}`;
    return [
      ['PATCH', path, { enabled: false }],
      ['PATCH', path, { enabled: true }],
    ];
  },
  redeliverFailed: async () => {
    const path = `/v1/webhooks/${await newWebhook()}/redeliver-failed`;
    return [
      ['POST', path, { since: '2026-01-01T00:00:00Z' }],
      ['POST', path, { since: '2026-01-02T00:00:00Z' }],
    ];
  },
  ...perId('rotateWebhookSecret', 'POST', (id) => `/v1/webhooks/${id}/rotate-secret`, newWebhook),
  ...perId('deleteWebhook', 'DELETE', (id) => `/v1/webhooks/${id}`, newWebhook),
  ...perId('testWebhook', 'POST', (id) => `/v1/webhooks/${id}/test`, newWebhook),
  ...perId('redeliverWebhook', 'POST', (id) => `/v1/webhook-deliveries/${id}/redeliver`, newDelivery),
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

let events = 0;
async function newDelivery(): Promise<string> {
  events += 1;
  const event = { id: `evt_${events}`, event: 'upload.deleted' as const, data: {}, created: upload.createdAt };
  const [planned] = await gateway.records.deliveries.recordEvent(gateway.account.id, event, 'https://example.com/own');
  return planned!.id;
}

describe('an Idempotency-Key', () => {
  test('is taken by every change that the description names', () => {
    const { paths } = openApiDocument({ publicUrl: 'http://x', version: '1' });
    const changes = Object.entries(paths!).flatMap(([path, operations]) =>
      Object.entries(operations as Record<string, { operationId: string; parameters?: { name: string }[] }>)
        // The operator's changes take no key.
        .filter(([method]) => /^\/v1\/(?!operator\/)/.test(path) && method !== 'get')
        .map(([, operation]) => operation)
        // A POST that changes nothing.
        .filter(({ operationId }) => operationId !== 'estimateEnhancement'),
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
    'of %s gives the same answer to the same request, and refuses another',
    async (name, make) => {
      const [[method, path, body], other] = await make();
      const first = await send(method, path, { body, once: name });
      const again = await send(method, path, { body, once: name });
      expect(again.status).toBe(first.status);
      expect([200, 201, 202, 204]).toContain(first.status);
      if (first.status !== 204) {
        const [one, two] = [await first.json(), await again.json()];
        const secrets = { secret: null, key: null };
        expect(withoutSigned(two)).toEqual(withoutSigned({ ...one, ...pick(secrets, Object.keys(one)) }));
      }
      const refused = await send(other[0], other[1], { body: other[2], once: name });
      const { code, field } = await refused.json();
      expect([refused.status, code, field]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key']);
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

  test.each(['createUpload', 'requestEnhancement', 'createApiKey'])(
    'of %s gives one record to equal requests that are under way together',
    async (name) => {
      const [[method, path, body]] = await CHANGES[name]!();
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => send(method, path, { body, once: `together-${name}` })),
      );
      const records = await Promise.all(answers.map((answer) => answer.json()));
      expect(new Set(answers.map(({ status }) => status)).size).toBe(1);
      expect(answers[0]!.ok).toBe(true);
      expect(new Set(records.map(({ id }) => id)).size).toBe(1);
      // One of them has made the secret, and shows it.
      const secrets = records.map((record) => record.secret ?? record.key ?? null).filter((secret) => secret !== null);
      expect(secrets).toHaveLength(name === 'createApiKey' ? 1 : 0);
    },
  );
});

const pick = (from: Record<string, unknown>, names: string[]): object =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

/** Addresses of files are signed afresh at each read. */
const withoutSigned = (body: object): object => ({ ...body, url: null, fullUrl: null });
