import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { testGateway } from './support/gateway.ts';
import type { TestGateway } from './support/gateway.ts';
import { storedEnhancement, storedUpload } from './support/records.ts';
import { jsonRequests } from './support/requests.ts';

const FOREIGN = `acc_${'0'.repeat(26)}`;
const PREFIXES = {
  uploads: 'upl',
  enhancements: 'enh',
  webhooks: 'whk',
  'webhook-deliveries': 'dlv',
  'api-keys': 'key',
};
type Kind = keyof typeof PREFIXES;

/** Every operation on one record, from the description: a new one is walled off or fails here. */
const OPERATIONS = Object.entries(openApiDocument({ publicUrl: 'http://x', version: '1' }).paths!).flatMap(
  ([path, operations]) =>
    path.startsWith('/v1/') && !path.startsWith('/v1/operator/') && path.includes('{id}')
      ? Object.entries(operations).map(
          ([method, operation]) => [method.toUpperCase(), path, bodyOf(operation)] as const,
        )
      : [],
);

/** A body that is valid, where the operation has an example of one. */
function bodyOf(operation: unknown): object {
  const { requestBody } = operation as {
    requestBody?: { content?: Record<string, { example?: object }> };
  };
  return requestBody?.content?.['application/json']?.example ?? {};
}

let gateway: TestGateway;
const send = jsonRequests(() => gateway);
/** A record of each kind that belongs to another account */
let foreign: Record<Kind, string>;

beforeAll(async () => {
  gateway = await testGateway();
  const { webhookEndpoints, deliveries, apiKeys } = gateway.records;
  const upload = await storedUpload(gateway, { accountId: FOREIGN });
  const { endpoint } = await webhookEndpoints.create(FOREIGN, 'https://example.com/', ['upload.deleted']);
  const event = { id: 'evt_1', event: 'upload.deleted' as const, data: {}, created: upload.createdAt };
  const [delivery] = await deliveries.recordEvent(FOREIGN, event, null);
  foreign = {
    uploads: upload.id,
    enhancements: (await storedEnhancement(gateway, upload)).id,
    webhooks: endpoint.id,
    'webhook-deliveries': delivery!.id,
    'api-keys': (await apiKeys.list(FOREIGN))[0]!.id,
  };
});
afterAll(async () => await gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.temporal.updates.length = 0;
  gateway.temporal.starts.length = 0;
});

/** What the owner sees. */
const ownersView = async (): Promise<string> => {
  const { foreignKey: key } = gateway;
  const paths = [
    `/v1/uploads/${foreign.uploads}`,
    '/v1/uploads',
    '/v1/enhancements',
    '/v1/webhooks',
    '/v1/webhook-deliveries',
    '/v1/settings',
    '/v1/credits',
  ];
  const bodies = await Promise.all(paths.map(async (path) => (await send('GET', path, { key })).text()));
  // Signed addresses differ from read to read.
  return bodies.join('\n').replace(/token=[\w.-]+/g, '');
};

describe('a record of another account', () => {
  test('can be requested in every kind by some operation', () => {
    const kinds = new Set(OPERATIONS.map(([, path]) => path.split('/')[2]));
    expect([...kinds].toSorted()).toEqual(Object.keys(PREFIXES).toSorted());
  });

  test.each(OPERATIONS)(
    'gets the answer of a missing record from %s %s, and does not change',
    async (method, path, example) => {
      const kind = path.split('/')[2] as Kind;
      const before = await ownersView();
      const answers: unknown[] = [];
      for (const id of [
        `${PREFIXES[kind]}_${'7'.repeat(26)}`,
        foreign[kind],
        '%00',
        'a'.repeat(3000),
        '%F0%9F%92%A9',
        "'%20or%201=1--",
      ]) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: example };
        const response = await send(method, path.replace('{id}', id), body);
        const { requestId: _, ...problem } = (await response.json()) as { requestId: string };
        answers.push([response.status, problem]);
      }
      expect(answers[0]).toMatchObject([404, { code: 'NOT_FOUND' }]);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect([gateway.temporal.updates, gateway.temporal.starts]).toEqual([[], []]);
      expect(await ownersView()).toBe(before);
    },
  );

  test.each(['uploads', 'enhancements', 'webhooks', 'webhook-deliveries', 'credits/entries'])(
    'is absent from /v1/%s',
    async (path) => {
      expect((await (await send('GET', `/v1/${path}`)).json()).items).toEqual([]);
    },
  );
});
