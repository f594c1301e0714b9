import { expect, test } from '@jest/globals';
import { OPERATOR_KEY, useGateway } from '../support/gateway.ts';
import { storedEnhancement, storedUpload } from '../support/records.ts';
import { describedPaths } from '../../support/described-operations.ts';

/** PostgreSQL stores no text with it, so a request that reaches the database with it is a server error. */
const NUL = '\0';

const gateway = useGateway();
const operations = Object.entries(describedPaths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** The path with ids of records of the account. */
async function realPath(path: string): Promise<string> {
  const upload = await storedUpload(gateway);
  const enhancement = await storedEnhancement(gateway, upload);
  const id = path.includes('/accounts')
    ? gateway.account.id
    : path.includes('/enhancements')
      ? enhancement.id
      : upload.id;
  return path.replace(/\{id\}/, id).replace(/\{\w+\}/g, '1');
}

async function send(method: string, path: string, body?: unknown): Promise<string | undefined> {
  const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' });
  const key = path.startsWith('/v1/operator') ? null : undefined;
  if (key === null) headers.set('Authorization', `Bearer ${OPERATOR_KEY}`);
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const { status } = await gateway.fetch(path, key === undefined ? init : { ...init, key });
  return status < 500 ? undefined : `${method} ${path} ${JSON.stringify(body) ?? ''}: ${status}`;
}

/** The value once for each of its texts, with a NUL in that text. */
function* withNul(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield `${value}${NUL}`;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value))
    for (const changed of withNul(each)) yield Array.isArray(value) ? [changed] : { ...value, [name]: changed };
}

test('a NUL character in the query of any operation is no server error', async () => {
  const failed: (string | undefined)[] = [];
  for (const { method, path, operation } of operations) {
    for (const { name } of (operation.parameters ?? []).filter((each) => each.in === 'query'))
      failed.push(await send(method, `${await realPath(path)}?${name}=a%00`));
  }
  expect(failed.length).toBeGreaterThan(50);
  expect(failed.filter((each) => each !== undefined)).toEqual([]);
});

test('a NUL character in the path of any operation is no server error', async () => {
  const failed: (string | undefined)[] = [];
  for (const { method, path } of operations.filter((each) => each.path.includes('{')))
    failed.push(await send(method, path.replace(/\{\w+\}/g, 'a%00')));
  expect(failed.length).toBeGreaterThan(30);
  expect(failed.filter((each) => each !== undefined)).toEqual([]);
});

test('a NUL character in any text of a body is no server error', async () => {
  const failed: (string | undefined)[] = [];
  for (const { method, path, operation } of operations) {
    const example = operation.requestBody?.content['application/json']?.example;
    for (const body of withNul(example)) failed.push(await send(method, await realPath(path), body));
  }
  expect(failed.length).toBeGreaterThan(10);
  expect(failed.filter((each) => each !== undefined)).toEqual([]);
});

interface TypeRef {
  kind: string;
  name: string | null;
  ofType: TypeRef | null;
}
interface Input {
  name: string;
  type: TypeRef;
}
interface SchemaType {
  name: string;
  kind: string;
  fields: { name: string; args: Input[]; type: TypeRef }[] | null;
  inputFields: Input[] | null;
  enumValues: { name: string }[] | null;
}

const INTROSPECTION = `{ __schema { types { name kind enumValues { name }
  inputFields { name type { ...ref } } fields { name args { name type { ...ref } } type { ...ref } } } } }
  fragment ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }`;

/** Literals of the types without free text. */
const SCALARS: Record<string, string> = {
  Int: '1',
  Boolean: 'true',
  Decimal: '1',
  DateTime: '"2026-01-31T09:30:00.000Z"',
};

/** A GraphQL literal in which every text has a NUL. */
function literal(types: Map<string, SchemaType>, type: TypeRef): string {
  if (type.kind === 'NON_NULL') return literal(types, type.ofType!);
  if (type.kind === 'LIST') return `[${literal(types, type.ofType!)}]`;
  const { kind, inputFields, enumValues } = types.get(type.name!)!;
  if (kind === 'INPUT_OBJECT') {
    const plain = inputFields!.filter((field) => types.get(field.type.name ?? '')?.kind !== 'INPUT_OBJECT');
    return `{ ${plain.map((field) => `${field.name}: ${literal(types, field.type)}`).join(', ')} }`;
  }
  if (kind === 'ENUM') return enumValues![0]!.name;
  return SCALARS[type.name!] ?? '"a\\u0000"';
}

test('a NUL character in any argument of GraphQL is no server error', async () => {
  const ask = async (query: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
    return (await gateway.fetch('/graphql', init)).json();
  };
  const { data } = await ask(INTROSPECTION);
  const types = new Map<string, SchemaType>(data.__schema.types.map((type: SchemaType) => [type.name, type]));
  const failed: string[] = [];
  let asked = 0;
  for (const [operation, root] of [
    ['query', 'Query'],
    ['mutation', 'Mutation'],
  ] as const) {
    for (const { name, args, type } of types.get(root)!.fields!) {
      const named = type.kind === 'NON_NULL' ? type.ofType! : type;
      const selection = (types.get(named.name ?? '')?.fields ?? null) === null ? '' : '{ __typename }';
      for (const arg of args) {
        const required = args.filter((each) => each === arg || each.type.kind === 'NON_NULL');
        const given = required.map((each) => `${each.name}: ${literal(types, each.type)}`).join(', ');
        const { errors = [] } = await ask(`${operation} { ${name}(${given}) ${selection} }`);
        const codes = errors.map((error: { extensions: { code: string } }) => error.extensions.code);
        if (codes.includes('INTERNAL')) failed.push(`${name}(${given})`);
        asked += 1;
      }
    }
  }
  expect(asked).toBeGreaterThan(10);
  expect(failed).toEqual([]);
});
