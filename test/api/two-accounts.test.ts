import { isEnumType, isInputObjectType, isLeafType, isListType, isNonNullType, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLInputType, GraphQLOutputType } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { schema } from '../../src/api/graphql/schema.ts';
import { KEYED_OPERATIONS, OPERATOR_OPERATIONS } from '../../src/api/operations.ts';
import { graphql } from './graphql/support.ts';
import { OPERATOR_KEY, testGateway } from './support/gateway.ts';
import type { TestGateway } from './support/gateway.ts';
import { storedEnhancement, storedUpload } from './support/records.ts';
import { jsonRequests } from './support/requests.ts';

/*
 * Two accounts on different plans. Every operation of REST and every root field of GraphQL comes from the declarations: a new
 * one is walled off, or fails here.
 */

let gateway: TestGateway;
const send = jsonRequests(() => gateway);
/** The account that is not to be seen: its key, and ids and texts that are its own */
let other: { id: string; key: string; ids: string[]; marks: string[] };
let owner: string;

beforeAll(async () => {
  gateway = await testGateway();
  owner = gateway.key;
  const order = { name: 'The other account', plan: 'BUSINESS' };
  const made = await (await send('POST', '/v1/operator/accounts', { key: OPERATOR_KEY, body: order })).json();
  const { id } = made.account as { id: string };
  const { webhookEndpoints, deliveries, apiKeys } = gateway.records;
  const upload = await storedUpload(gateway, { accountId: id, originalFilename: 'of-the-other.jpg' });
  const enhancement = await storedEnhancement(gateway, upload, { accountId: id, status: 'AWAITING_APPROVAL' });
  const { endpoint } = await webhookEndpoints.create(id, 'https://other.example/hook', ['upload.deleted']);
  const event = { id: 'evt_other', event: 'upload.deleted' as const, data: {}, created: upload.createdAt };
  const [delivery] = await deliveries.recordEvent(id, event, null);
  const [key] = await apiKeys.list(id);
  const ids = [upload.id, enhancement.id, endpoint.id, delivery!.id, key!.id];
  other = { id, key: made.apiKey, ids, marks: [...ids, id, 'of-the-other', 'other.example', 'The other account'] };
});
afterAll(async () => await gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.temporal.updates.length = 0;
  gateway.temporal.signals.length = 0;
});

/** All that the other account can read of itself. */
async function othersView(): Promise<string> {
  const paths = KEYED_OPERATIONS.filter(({ method, path }) => method === 'get' && !path.includes('{')).map(
    ({ path }) => path,
  );
  const texts = await Promise.all(
    paths.map(async (path) => {
      const response = await send('GET', path, { key: other.key });
      return `${path} ${response.status} ${await response.text()}`;
    }),
  );
  // Signed addresses, the id of a refusal and the time of a use differ from read to read.
  return texts
    .join('\n')
    .replace(/token=[\w.-]+/g, '')
    .replace(/"(requestId|lastUsedAt|lastUsedAddress)":("[^"]*"|null)/g, '');
}

/** Nothing of the other account is in an answer, and none of its workflows heard of the request. */
function expectNothingOf(text: string): void {
  for (const mark of other.marks) expect(text).not.toContain(mark);
  const { updates, signals } = gateway.temporal;
  const said = JSON.stringify([updates, signals]);
  for (const id of other.ids) expect(said).not.toContain(id);
}

const plainIds = (method: string, path: string) => [method.toUpperCase(), path] as const;

describe('two accounts on different plans', () => {
  test('have their own plans', async () => {
    const target = { targetResolution: 900 };
    const file = { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' as const };
    const codes = [];
    for (const [accountId, key] of [
      [gateway.account.id, owner],
      [other.id, other.key],
    ] as const) {
      const upload = await storedUpload(gateway, { accountId, file });
      codes.push(
        (await (await send('POST', `/v1/uploads/${upload.id}/enhancements`, { key, body: target })).json()).code,
      );
    }
    expect(codes[0]).toBe('TARGET_RESOLUTION_EXCEEDS_PLAN');
    expect(codes[1]).not.toBe('TARGET_RESOLUTION_EXCEEDS_PLAN');
  });

  const REST = KEYED_OPERATIONS.map(({ method, path }) => plainIds(method, path));
  test.each(REST)('see nothing of each other in %s %s', async (method, path) => {
    const before = await othersView();
    const addresses = /\{\w+\}/.test(path)
      ? other.ids.map((id) => path.replace('{id}', id).replace('{number}', '1'))
      : [path, `${path}?after=${other.ids[0]}&accountId=${other.id}`];
    for (const address of addresses) {
      for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : bodies()) {
        const response = await send(method, address, body === undefined ? { key: owner } : { key: owner, body });
        const text = await response.text();
        if (path.includes('{id}')) expect([404, 400]).toContain(response.status);
        expectNothingOf(text);
      }
    }
    expect(await othersView()).toBe(before);
  });

  const FIELDS = [schema.getQueryType()!, schema.getMutationType()!].flatMap((root) =>
    (Object.values(root.getFields()) as GraphQLField<unknown, unknown>[]).map(
      (field) => [root === schema.getQueryType() ? 'query' : 'mutation', field.name, field] as const,
    ),
  );
  test.each(FIELDS)('see nothing of each other in the %s %s', async (kind, name, field) => {
    const before = await othersView();
    for (const id of other.ids) {
      const args = field.args.map((arg) => `${arg.name}: ${literal(arg.type, id)}`);
      const given = args.length === 0 ? '' : `(${args.join(', ')})`;
      const required = field.args.filter(({ type }) => isNonNullType(type));
      const least = required.map((arg) => `${arg.name}: ${literal(arg.type, id)}`);
      for (const list of new Set([given, least.length === 0 ? '' : `(${least.join(', ')})`])) {
        const answer = await graphql(gateway, `${kind} { ${name}${list}${selection(field.type)} }`, { key: owner });
        expectNothingOf(JSON.stringify(answer.data ?? null));
      }
    }
    expect(await othersView()).toBe(before);
  });

  test.each(OPERATOR_OPERATIONS.map(({ method, path }) => plainIds(method, path)))(
    'cannot call %s %s with their keys',
    async (method, path) => {
      const address = path.replace('{id}', other.id);
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
      const refused = await send(method, address, { key: owner, ...body });
      expect([refused.status, (await refused.json()).code]).toEqual([401, 'UNAUTHENTICATED']);
    },
  );
});

/** Bodies that name what belongs to the other account wherever a field could take it. */
const bodies = (): unknown[] => [
  {},
  { ids: other.ids, uploadId: other.ids[0], accountId: other.id },
  { ids: other.ids },
  { url: 'https://example.com/x', events: ['upload.deleted'] },
  { name: 'A key' },
  { uploadRetentionDays: 5 },
];

/** A value of the type; every id and text is the one given. */
function literal(type: GraphQLInputType, id: string): string {
  if (isNonNullType(type)) return literal(type.ofType, id);
  if (isListType(type)) return `[${literal(type.ofType, id)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isLeafType(type)) {
    if (/^(Int|Float|Decimal)$/.test(type.name)) return '1';
    return type.name === 'Boolean' ? 'true' : JSON.stringify(type.name === 'String' ? 'https://example.com/x' : id);
  }
  if (!isInputObjectType(type)) throw new Error(`There is no literal for ${String(type)}.`);
  const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || /id/i.test(field.name));
  return `{ ${fields.map((field) => `${field.name}: ${literal(field.type, id)}`).join(', ')} }`;
}

/** Every field of the answer that takes no arguments, three levels deep. */
function selection(type: GraphQLOutputType, depth = 0): string {
  if (isNonNullType(type) || isListType(type)) return selection(type.ofType as GraphQLOutputType, depth);
  // Types refer to each other in circles.
  if (!isObjectType(type) || depth > 2) return '';
  const fields = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.length > 0) return [];
    const below = selection(field.type, depth + 1);
    const isRecord = below !== '' || isObjectType(innermost(field.type));
    return isRecord && (depth >= 2 || below === '') ? [] : [`${field.name}${below}`];
  });
  return ` { __typename ${fields.join(' ')} }`;
}

function innermost(type: GraphQLOutputType): GraphQLOutputType {
  return isNonNullType(type) || isListType(type) ? innermost(type.ofType as GraphQLOutputType) : type;
}
