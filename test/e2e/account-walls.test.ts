import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KEYED_OPERATIONS } from '../../src/api/operations.ts';
import { type Api, createApi } from './api.ts';
import { photo } from './files.ts';
import { cleanEnvironment, type Instance, runCommand, startInstance } from './instance.ts';
import { until } from './until.ts';
import { webhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** Id of a record of the other account, by the path segment of its kind. */
type Records = Record<'uploads' | 'enhancements' | 'webhooks' | 'webhook-deliveries' | 'api-keys', string>;
interface Item {
  id: string;
}

let instance: Instance;
let receiver: WebhookReceiver;
let other: Api;
let records: Records;
let before: string;

beforeAll(async () => {
  receiver = await webhookReceiver();
  instance = await startInstance({ env: { BURNISH_ALLOWED_PRIVATE_HOSTS: '127.0.0.1', BURNISH_PLAN: 'FREE' } });
  const environment = await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir });
  const created = runCommand(['accounts', 'create', 'Beside', '--plan', 'BUSINESS', '--json'], environment);
  expect([await created.ended, created.stderr()]).toEqual([0, '']);
  const { apiKey } = JSON.parse(created.stdout()) as { apiKey: string };
  other = createApi(instance.url, apiKey);

  const { body: upload } = await other.upload(await photo(1), { enhancements: [{}] });
  const { enhancements } = await other.settled(upload.id);
  const order = { body: { url: `${receiver.url}/hook`, events: ['upload.deleted'] } };
  const { body: webhook } = await other.call<Item>('POST', '/v1/webhooks', order);
  const { body: delivery } = await other.call<Item>('POST', `/v1/webhooks/${webhook.id}/test`, { body: {} });
  const { body: keys } = await other.get<{ items: Item[] }>('/v1/api-keys');
  await receiver.received(() => true);
  records = {
    uploads: upload.id,
    enhancements: enhancements[0]!.id,
    webhooks: webhook.id,
    'webhook-deliveries': delivery.id,
    'api-keys': keys.items[0]!.id,
  };
  await until(async () => {
    const { body } = await other.get<{ status: string }>(`/v1/webhook-deliveries/${delivery.id}`);
    return body.status === 'DELIVERED' ? true : undefined;
  });
  before = await viewOfOther();
});
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** Every list and report of the other account, and its upload. */
async function viewOfOther(): Promise<string> {
  const lists = KEYED_OPERATIONS.filter(({ method, path }) => method === 'get' && !path.includes('{'));
  const paths = [...lists.map(({ path }) => path), `/v1/uploads/${records.uploads}`];
  const bodies = await Promise.all(paths.map(async (path) => JSON.stringify((await other.get(path)).body)));
  // Signed addresses and the time of the last use differ from read to read.
  return bodies
    .join('\n')
    .replace(/token=[\w.-]+/g, '')
    .replace(/"(lastUsedAt|lastUsedAddress)":("[^"]*"|null)/g, '');
}

/** Of operations that refuse an empty body before they look for the record. */
const BODIES: Record<string, object> = {
  '/v1/webhooks/{id}': { enabled: false },
  '/v1/webhooks/{id}/redeliver-failed': { since: '2026-01-31T09:30:00Z' },
};
const ON_RECORDS = KEYED_OPERATIONS.filter(({ path }) => path.includes('{id}')).map(
  ({ method, path }) => [method.toUpperCase(), path] as const,
);

describe('two accounts on a running instance', () => {
  test.each(ON_RECORDS)('get the answer for a missing record of each other from %s %s', async (method, path) => {
    const id = records[path.split('/')[2] as keyof Records];
    const absent = id.replace(/[^_]+$/, '7'.repeat(26));
    const answers = [];
    for (const each of [absent, id]) {
      const address = path.replace('{id}', each).replace(/\{(number|page)\}/, '1');
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: BODIES[path] ?? {} };
      const answer = await instance.api.call<{ code: string; requestId: string }>(method, address, body);
      const { requestId: _, ...problem } = answer.body;
      answers.push([answer.status, problem]);
    }
    expect(answers[0]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    expect(answers[1]).toEqual(answers[0]);
    expect(await viewOfOther()).toBe(before);
  });

  test('see nothing of each other in lists', async () => {
    const lists = KEYED_OPERATIONS.filter(({ method, path }) => method === 'get' && !path.includes('{'));
    for (const { path } of lists) {
      const { body } = await instance.api.get(path);
      const text = JSON.stringify(body);
      for (const id of Object.values(records)) expect(text).not.toContain(id);
    }
  });
});
