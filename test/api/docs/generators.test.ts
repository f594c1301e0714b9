import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../../src/api/openapi/document.ts';

/* What generators of clients stumble over. The drill `generated-clients` runs six of them. */

const {
  paths = {},
  webhooks = {},
  ...others
} = openApiDocument({ publicUrl: 'http://127.0.0.1:3000', version: '1.0.0' });

function tagsOf(part: object): Set<string> {
  const operations = Object.values(part).flatMap((methods) => Object.values(methods as Record<string, unknown>));
  return new Set(operations.flatMap((operation) => (operation as { tags?: string[] }).tags ?? []));
}

/** All objects in a description, with their places. */
function* objectsIn(node: unknown, place = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof node !== 'object' || node === null) return;
  yield [place, node as Record<string, unknown>];
  for (const [name, each] of Object.entries(node)) yield* objectsIn(each, `${place}/${name}`);
}

const isNull = (schema: unknown): boolean => (schema as { type?: unknown }).type === 'null';

test('a class of requests to Burnish is not replaced by one of its events, which generators name by their tags', () => {
  expect(tagsOf(webhooks).size).toBeGreaterThan(0);
  expect([...tagsOf(webhooks)].filter((tag) => tagsOf(paths).has(tag))).toEqual([]);
});

test('null stands beside exactly one type, since a class for null or for several types with null does not compile', () => {
  const choices: string[] = [];
  const nulls: string[] = [];
  for (const [place, node] of objectsIn({ paths, webhooks, ...others })) {
    const { anyOf } = node;
    if (Array.isArray(anyOf) && anyOf.some(isNull) && anyOf.length !== 2) choices.push(place);
    if (isNull(node) && !/\/anyOf\/\d+$/.test(place)) nulls.push(place);
  }
  expect({ choices, nulls }).toEqual({ choices: [], nulls: [] });
});

test('no day or time repeats its format as a pattern, which C# would apply to a date', () => {
  const days = [...objectsIn({ paths, webhooks, ...others })].filter(([, { format }]) => /^date/.test(String(format)));
  expect(days.length).toBeGreaterThan(10);
  expect(days.filter(([, { pattern }]) => pattern !== undefined)).toEqual([]);
});

test('no boolean is an enumeration, since C# has none of booleans', () => {
  const fixed = [...objectsIn({ paths, webhooks, ...others })].filter(
    ([, node]) => node['type'] === 'boolean' && ('const' in node || 'enum' in node),
  );
  expect(fixed).toEqual([]);
});

test('the data of each event has a name of its own, since fields of nameless classes that may be null do not compile in C#', () => {
  const data = [...objectsIn(webhooks)].filter(([place]) => /\/schema\/properties\/data$/.test(place));
  expect(data).toHaveLength(Object.keys(webhooks).length);
  expect(data.filter(([, node]) => node['$ref'] === undefined)).toEqual([]);
});

test('no number is an enumeration, since generated Java has none of decimals', () => {
  const numbers = [...objectsIn({ paths, webhooks, ...others })].filter(([, { type }]) => type === 'number');
  expect(numbers.length).toBeGreaterThan(10);
  expect(numbers.filter(([, node]) => 'const' in node || 'enum' in node)).toEqual([]);
});
