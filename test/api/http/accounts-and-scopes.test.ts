import {
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SCOPES, type Scope } from '@burnish/contract';
import { schema } from '../../../src/api/graphql-schema.ts';
import { KEYED_OPERATIONS, OPERATOR_OPERATIONS } from '../../../src/api/operations.ts';
import { graphql } from '../graphql/support.ts';
import { OPERATOR_KEY, useGateway, type TestResponse } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { jsonRequests } from '../support/requests.ts';

/*
 * Every operation of REST and every root field of GraphQL comes from the declarations. A new one has a scope and hides the records
 * of other accounts, or fails here.
 */

/** Prefix of the ids of each kind of record, by the segment of its paths */
const KINDS = {
  uploads: 'upl',
  tus: 'upl',
  enhancements: 'enh',
  webhooks: 'whk',
  'webhook-deliveries': 'dlv',
  'api-keys': 'key',
  batches: 'bat',
};
type Kind = keyof typeof KINDS;
const TIME = '2026-01-31T09:30:00Z';
/** Of operations that refuse an empty body before they look for the record */
const BODIES: Record<string, object> = {
  '/v1/uploads/{id}/enhancements': { enhancements: [{}] },
  '/v1/uploads/{id}/estimate': { enhancements: [{}] },
  '/v1/uploads/{id}/trial': { enhancements: [{}] },
  '/v1/batches/{id}/prefix': { bucket: 'photos' },
  '/v1/webhooks/{id}': { enabled: false },
  '/v1/webhooks/{id}/redeliver-failed': { since: TIME },
};

const REST = KEYED_OPERATIONS.map(({ method, path, scope }) => [method.toUpperCase(), path, scope as Scope] as const);
const ON_RECORDS = REST.filter(([, path]) => path.includes('{id}'));
const rootFields = (root: GraphQLObjectType) => Object.values(root.getFields()) as GraphQLField<unknown, unknown>[];
const FIELDS = [
  ...rootFields(schema.getQueryType()!).map((field) => ['query', field.name, field] as const),
  ...rootFields(schema.getMutationType()!).map((field) => ['mutation', field.name, field] as const),
];
/** A stream without an end has one on request. */
const ended = (path: string): string => (path === '/v1/events' ? `${path}?until=now` : path);
const withoutBody = (method: string): boolean => ['GET', 'HEAD', 'DELETE'].includes(method);
/** An answer to HEAD has no body. */
const problemIn = async (method: string, response: TestResponse, expected?: object): Promise<unknown> =>
  method === 'HEAD' ? expected : await response.json();

const gateway = useGateway();
const send = jsonRequests(() => gateway);
/** A key of each scope alone, and one of all the others */
const only = {} as Record<Scope, string>;
const without = {} as Record<Scope, string>;
/** The account with the hidden records: its key, its records by kind, and texts that only its records contain */
let other: { id: string; key: string; records: Record<Kind, string>; ids: string[]; marks: string[] };

beforeAll(async () => {
  const { apiKeys, webhookEndpoints, deliveries } = gateway.records;
  for (const scope of SCOPES) {
    const others = SCOPES.filter((each) => each !== scope);
    only[scope] = (await apiKeys.create(gateway.account.id, scope, { scopes: [scope] })).key;
    without[scope] = (await apiKeys.create(gateway.account.id, `not ${scope}`, { scopes: others })).key;
  }
  const order = { name: 'The other account', plan: 'BUSINESS' };
  const made = await (await send('POST', '/v1/operator/accounts', { key: OPERATOR_KEY, body: order })).json();
  const { id } = made.account as { id: string };
  const upload = await storedUpload(gateway, { accountId: id, originalFilename: 'of-the-other.jpg' });
  const enhancement = await storedEnhancement(gateway, upload, { accountId: id, status: 'AWAITING_APPROVAL' });
  const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '30000' };
  const resumable = await (await gateway.fetch('/v1/tus', { method: 'POST', key: made.apiKey, headers })).json();
  const { endpoint } = await webhookEndpoints.create(id, {
    url: 'https://other.example/hook',
    events: ['upload.deleted'],
  });
  const event = { id: 'evt_other', event: 'upload.deleted' as const, data: {}, created: upload.createdAt };
  const [delivery] = await deliveries.recordEvent(id, event, null);
  const [key] = await apiKeys.list(id, { includeInternal: true });
  const batchId = `bat_${'1'.repeat(26)}`;
  const batch = {
    id: batchId,
    accountId: id,
    parameters: {},
    preset: null,
    destination: null,
    maxCredits: null,
    samples: 0,
    reference: 'of-the-other',
  };
  await gateway.records.batches.create(batch, null);
  const records = {
    uploads: upload.id,
    tus: resumable.id,
    enhancements: enhancement.id,
    webhooks: endpoint.id,
    'webhook-deliveries': delivery!.id,
    'api-keys': key!.id,
    batches: batchId,
  };
  const ids = Object.values(records);
  other = { id, key: made.apiKey, records, ids, marks: [...ids, id, 'of-the-other', 'other.example', order.name] };
  firstView = await othersView();
});
beforeEach(() => {
  for (const calls of [gateway.temporal.starts, gateway.temporal.updates, gateway.temporal.signals]) calls.length = 0;
});

/** What the other account sees of itself before the first request of the others. */
let firstView: string;

/** All that the other account can read of itself. */
async function othersView(): Promise<string> {
  const lists = REST.filter(([method, path]) => method === 'GET' && !path.includes('{')).map(([, path]) => ended(path));
  const texts = await Promise.all(
    [...lists, `/v1/uploads/${other.records.uploads}`].map(async (path) => {
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

/** Nothing of the other account is in an answer, and none of its workflows received a message. */
function expectNothingOf(text: string): void {
  const { updates, signals } = gateway.temporal;
  const messages = JSON.stringify([updates, signals]);
  const found = [
    ...other.marks.filter((mark) => text.includes(mark)),
    ...other.ids.filter((id) => messages.includes(id)),
  ];
  expect(found).toEqual([]);
}

describe('a REST operation', () => {
  test('has exactly one scope, every other scope than that of a field has operations, and so has every kind of record', () => {
    expect(new Set([...REST.map(([, , scope]) => scope), 'destinations'])).toEqual(new Set(SCOPES));
    const kinds = new Set(ON_RECORDS.map(([, path]) => path.split('/')[2]));
    expect([...kinds].toSorted()).toEqual(Object.keys(KINDS).toSorted());
  });

  test.each(REST)('needs its scope and no other: %s %s', async (method, path, scope) => {
    const address = ended(path.replace('{id}', 'no-id').replace(/\{(number|page)\}/, '1'));
    const body = withoutBody(method) ? {} : { body: {} };
    const refused = await send(method, address, { ...body, key: without[scope] });
    const problem = { code: 'FORBIDDEN', retryable: false, detail: expect.stringContaining(`the scope ${scope}.`) };
    expect([refused.status, await problemIn(method, refused, problem)]).toMatchObject([403, problem]);
    const allowed = await send(method, address, { ...body, key: only[scope] });
    expect([401, 403]).not.toContain(allowed.status);
    await allowed.text();
  });

  test('has the same scope for HEAD as for GET, and undescribed paths answer 404', async () => {
    expect((await send('HEAD', '/v1/api-keys', { key: without.keys })).status).toBe(403);
    expect((await send('HEAD', '/v1/api-keys', { key: only.keys })).status).toBe(200);
    for (const path of ['/v1/api-keys/a/b', '/v1//api-keys', '/v1/%61pi-keys', '/v1/API-KEYS']) {
      expect([path, (await send('GET', path, { key: without.keys })).status]).toEqual([path, 404]);
    }
  });

  test.each(REST)('shows nothing of another account: %s %s', async (method, path) => {
    const own = other.records[path.split('/')[2] as Kind];
    const addresses = path.includes('{id}')
      ? other.ids.map((id) => path.replace('{id}', id).replace(/\{(number|page)\}/, '1'))
      : [ended(path), `${path}?after=${other.ids[0]}&accountId=${other.id}`];
    for (const address of addresses) {
      // No path leads to records of another kind, so one request for each of their ids is enough.
      const given = path.includes('{id}') && !address.includes(own) ? [{}] : bodies();
      for (const body of withoutBody(method) ? [{}] : given.map((each) => ({ body: each }))) {
        const response = await send(method, address, body);
        if (path.includes('{id}')) expect([404, 400]).toContain(response.status);
        expectNothingOf(await response.text());
      }
    }
  });

  test('changes nothing of another account', async () => {
    expect(await othersView()).toBe(firstView);
  });

  test.each(ON_RECORDS)('answers for another account as for a missing record: %s %s', async (method, path) => {
    const kind = path.split('/')[2] as Kind;
    const answers: unknown[] = [];
    const missing = `${KINDS[kind]}_${'7'.repeat(26)}`;
    for (const id of [missing, other.records[kind], '%00', 'a'.repeat(3000), '%F0%9F%92%A9', "'%20or%201=1--"]) {
      const address = path.replace('{id}', id).replace(/\{(number|page)\}/, '1');
      const response = await send(method, address, withoutBody(method) ? {} : { body: BODIES[path] ?? {} });
      const missingRecord = { code: 'NOT_FOUND', requestId: '' };
      const { requestId: _, ...problem } = (await problemIn(method, response, missingRecord)) as { requestId: string };
      answers.push([response.status, problem]);
    }
    expect(answers[0]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect([gateway.temporal.updates, gateway.temporal.starts]).toEqual([[], []]);
  });

  test.each(OPERATOR_OPERATIONS.map(({ method, path }) => [method.toUpperCase(), path] as const))(
    'of the operator refuses keys of accounts: %s %s',
    async (method, path) => {
      const body = withoutBody(method) ? {} : { body: {} };
      const refused = await send(method, path.replace('{id}', other.id), body);
      expect([refused.status, (await refused.json()).code]).toEqual([401, 'UNAUTHENTICATED']);
    },
  );
});

describe('a GraphQL operation', () => {
  test.each(FIELDS)('needs its scope and no other: %s %s', async (kind, name, field) => {
    const scope = field.extensions['scope'] as Scope;
    expect(SCOPES).toContain(scope);
    const document = `${kind} { ${name}${given(field, 'x', true)} { __typename } }`;
    const answer = await graphql(gateway, document, { key: without[scope] });
    expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    // A field that is never null takes all data with it.
    expect(answer.data).toEqual(isNonNullType(field.type) ? null : { [name]: null });
    expect(gateway.temporal.starts).toEqual([]);
    const allowed = await graphql(gateway, document, { key: only[scope] });
    expect(allowed.errors?.map(({ extensions }) => extensions.code) ?? []).not.toContain('FORBIDDEN');
    expect(allowed.data === undefined).toBe(false);
  });

  test.each(FIELDS)('shows nothing of another account: %s %s', async (kind, name, field) => {
    for (const id of other.ids) {
      for (const list of new Set([given(field, id, false), given(field, id, true)])) {
        const answer = await graphql(gateway, `${kind} { ${name}${list}${selection(field.type)} }`);
        expectNothingOf(JSON.stringify(answer.data ?? null));
      }
    }
  });

  test('changes nothing of another account', async () => {
    expect(await othersView()).toBe(firstView);
  });
});

test('two accounts have the limits of their own plans', async () => {
  const file = { size: 30_000, sha256: 'ab'.repeat(32), mimetype: 'application/pdf' as const };
  const codes = [];
  for (const [accountId, key] of [
    [gateway.account.id, gateway.key],
    [other.id, other.key],
  ] as const) {
    const upload = await storedUpload(gateway, { accountId, file });
    const order = { key, body: { enhancements: [{ targetResolution: 900 }] } };
    codes.push((await (await send('POST', `/v1/uploads/${upload.id}/enhancements`, order)).json()).code);
  }
  expect(codes[0]).toBe('TARGET_RESOLUTION_EXCEEDS_PLAN');
  expect(codes[1]).not.toBe('TARGET_RESOLUTION_EXCEEDS_PLAN');
});

/** Bodies that name the records of the other account wherever a field could take one. */
const bodies = (): unknown[] => [
  {},
  { enhancements: [{}] },
  { ids: other.ids, uploadId: other.ids[0], accountId: other.id },
  { ids: other.ids },
  { url: 'https://example.com/x', events: ['upload.deleted'] },
  { name: 'A key' },
  { uploadRetentionDays: 5 },
];

/** The arguments of a field, with one id for all of them. */
function given({ args }: GraphQLField<unknown, unknown>, id: string, requiredOnly: boolean): string {
  const list = args
    .filter(({ type }) => !requiredOnly || isNonNullType(type))
    .map((arg) => `${arg.name}: ${literal(arg.type, id)}`);
  return list.length === 0 ? '' : `(${list.join(', ')})`;
}

/** A value of the type; each id in it is the given one. */
function literal(type: GraphQLInputType, id: string): string {
  if (isNonNullType(type)) return literal(type.ofType, id);
  if (isListType(type)) return `[${literal(type.ofType, id)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (type.name === 'DateTime') return `"${TIME}"`;
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
