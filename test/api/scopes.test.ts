import { isInputObjectType, isLeafType, isListType, isNonNullType, isEnumType } from 'graphql';
import type { GraphQLField, GraphQLInputType, GraphQLObjectType } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { schema } from '../../src/api/graphql/schema.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { SCOPES } from '../../src/domain/accounts/scopes.ts';
import type { Scope } from '../../src/domain/accounts/scopes.ts';
import { graphql } from './graphql/support.ts';
import { testGateway } from './support/gateway.ts';
import type { TestGateway } from './support/gateway.ts';
import { jsonRequests } from './support/requests.ts';

let gateway: TestGateway;
const send = jsonRequests(() => gateway);
/** A key of each scope alone, and one of all the others */
const only = {} as Record<Scope, string>;
const without = {} as Record<Scope, string>;

beforeAll(async () => {
  gateway = await testGateway();
  const { apiKeys } = gateway.records;
  for (const scope of SCOPES) {
    const others = SCOPES.filter((each) => each !== scope);
    only[scope] = (await apiKeys.create(gateway.account.id, scope, { scopes: [scope] })).key;
    without[scope] = (await apiKeys.create(gateway.account.id, `not ${scope}`, { scopes: others })).key;
  }
});
afterAll(async () => await gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.temporal.starts.length = 0;
  gateway.temporal.updates.length = 0;
});

interface Operation {
  operationId: string;
  'x-scope': Scope;
  responses: Record<string, unknown>;
}

/** Every operation under a key, from the description: a new one has a scope, or fails here. */
const REST = Object.entries(openApiDocument({ publicUrl: 'http://x', version: '1' }).paths ?? {}).flatMap(
  ([path, operations]) =>
    path.startsWith('/v1/') && !path.startsWith('/v1/operator/')
      ? Object.entries(operations as Record<string, Operation>).map(
          ([method, operation]) => [method.toUpperCase(), path, operation] as const,
        )
      : [],
);

describe('a REST operation', () => {
  test('has exactly one scope, and every scope has operations', () => {
    expect(new Set(REST.map(([, , { 'x-scope': scope }]) => scope))).toEqual(new Set(SCOPES));
    for (const [, , { responses }] of REST) expect(Object.keys(responses)).toContain('403');
  });

  test.each(REST)('needs its scope and no other: %s %s', async (method, path, operation) => {
    const scope = operation['x-scope'];
    const address = path.replace('{id}', 'no-id').replace('{number}', '1');
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
    const refused = await send(method, address, { ...body, key: without[scope] });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'FORBIDDEN', retryable: false, detail: expect.stringContaining(`the scope ${scope};`) },
    ]);
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
});

describe('a GraphQL operation', () => {
  const fieldsOf = (root: GraphQLObjectType) => Object.values(root.getFields());
  const FIELDS = [
    ...fieldsOf(schema.getQueryType()!).map((field) => ['query', field.name, field] as const),
    ...fieldsOf(schema.getMutationType()!).map((field) => ['mutation', field.name, field] as const),
  ];

  test.each(FIELDS)('needs its scope and no other: %s %s', async (kind, name, field) => {
    const scope = field.extensions['scope'] as Scope;
    expect(SCOPES).toContain(scope);
    const document = `${kind} { ${name}${argumentsOf(field)} { __typename } }`;
    const answer = await graphql(gateway, document, { key: without[scope] });
    expect(answer.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    // A field that is never null takes all data with it.
    expect(answer.data).toEqual(isNonNullType(field.type) ? null : { [name]: null });
    expect(gateway.temporal.starts).toEqual([]);
    const allowed = await graphql(gateway, document, { key: only[scope] });
    expect(allowed.errors?.map(({ extensions }) => extensions.code) ?? []).not.toContain('FORBIDDEN');
    expect(allowed.data === undefined).toBe(false);
  });
});

/** Values that are of the right type, and nothing more. */
function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => `${name}: ${literal(type)}`);
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return `[${literal(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (type.name === 'DateTime') return '"2026-01-31T09:30:00Z"';
  if (isLeafType(type)) return /^(Int|Float|Decimal)$/.test(type.name) ? '1' : '"x"';
  if (!isInputObjectType(type)) throw new Error(`There is no literal for ${String(type)}.`);
  const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
  return `{ ${required.map((field) => `${field.name}: ${literal(field.type)}`).join(', ')} }`;
}
