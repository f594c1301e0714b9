import { getIntrospectionQuery, parse } from 'graphql';
import { describe, expect, test } from '@jest/globals';
import { DOCUMENT_LIMITS } from '../../../src/api/graphql/limits/document-limits.ts';
import { measure } from '../../../src/api/graphql/limits/measure.ts';
import { createTextCache } from '../../../src/api/graphql/limits/text-cache.ts';
import { schema } from '../../../src/api/graphql-schema.ts';
import { testGateway } from '../support/gateway.ts';
import { graphql, refusal } from './support.ts';
import { useForFile } from '../../support/use-for.ts';

const repeat = (times: number, text: (index: number) => string): string =>
  Array.from({ length: times }, (_, index) => text(index)).join(' ');
const UPLOAD =
  'id status subStatus metadata filesize mimetype extension originalFilename filename width height url startedAt finishedAt duration';
const ENHANCED = 'id status fullUrl filename engineDuration errorCode';

describe('the cost of a document', () => {
  const sizeOf = (text: string) => measure(schema, parse(text));

  test('counts the items that its pages may return', () => {
    expect(sizeOf('{ uploads(first: 3) { nodes { id status } } }').cost).toBe(1 + 3 * (1 + 2));
    expect(sizeOf('{ uploads { nodes { id } } }').cost).toBe(1 + 20 * 2);
    expect(sizeOf('query ($n: Int) { uploads(first: $n) { nodes { id } } }').cost).toBe(1 + 100 * 2);
    expect(sizeOf('{ upload(id: "x") { enhancedImages { id } } }').cost).toBe(1 + 1 + 10);
  });

  test('counts its fragments at each use', () => {
    const plain = sizeOf('{ a: upload(id: "x") { id width } b: upload(id: "y") { id width } }');
    const spread = sizeOf(
      '{ a: upload(id: "x") { ...F } b: upload(id: "y") { ...F } } fragment F on Upload { id width }',
    );
    expect({ ...spread, fields: plain.fields }).toEqual(plain);
    expect(sizeOf('{ upload(id: "x") { ... on Upload { id ... { width } } } }')).toMatchObject({ depth: 2, cost: 3 });
  });

  test('is computed in linear time for nested fragments', () => {
    const bomb = `{ upload(id: "x") { ...F0 } } ${repeat(60, (i) => `fragment F${i} on Upload { ...F${i + 1} ...F${i + 1} }`)} fragment F60 on Upload { id }`;
    expect(sizeOf(bomb).cost).toBeGreaterThan(DOCUMENT_LIMITS.cost);
  });

  test('is not reduced by a negative page size', () => {
    const query = (first: number): string => `{ uploads(first: ${first}) { nodes { id status } } }`;
    expect(sizeOf(query(-1_000_000)).cost).toBe(sizeOf(query(1)).cost);
  });

  test('is computed despite a recursive fragment or an unknown field', () => {
    expect(sizeOf('{ upload(id: "x") { ...F } } fragment F on Upload { id ...F }').cost).toBe(2);
    expect(sizeOf('{ nothing { at { all } } }')).toMatchObject({ depth: 3, cost: 3 });
    expect(sizeOf('fragment F on Nothing { id }')).toMatchObject({ depth: 0, cost: 0 });
  });
});

describe('GraphQL limits', () => {
  const gateway = useForFile(() => testGateway());

  test.each([
    [
      'the whole schema, as GraphiQL reads it',
      getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true, directiveIsRepeatable: true }),
    ],
    [
      'every field of a full page of uploads and their enhancements',
      `{ uploads(first: 100) { edges { cursor node { ${UPLOAD} enhancedImages { ${ENHANCED} } } } pageInfo { endCursor hasNextPage } } }`,
    ],
    ['twenty uploads at once', `{ ${repeat(20, (i) => `u${i}: upload(id: "x${i}") { ${UPLOAD} }`)} }`],
  ])('accept %s', async (_what, query) => {
    const { errors } = await graphql(gateway, query);
    expect(errors?.filter(({ extensions }) => extensions.code !== 'NOT_FOUND') ?? []).toEqual([]);
  });

  const deep = (levels: number): string =>
    `{ enhancedImage(id: "x") { ${'upload { enhancedImages { '.repeat(levels)}id${' } }'.repeat(levels)} } }`;

  test.each([
    ['depth', deep(5), 'fields inside fields'],
    ['aliases', `{ ${repeat(31, (i) => `c${i}: credits { periodEnd }`)} }`, 'aliases'],
    ['directives', `{ credits { ${repeat(21, () => 'periodEnd @include(if: true)')} } }`, 'directives'],
    [
      'cost of lists in lists',
      `{ uploads(first: 100) { nodes { enhancedImages { upload { enhancedImages { id width height status } } } } } }`,
      'fields that the response could contain',
    ],
    [
      'changes at once',
      `mutation { ${repeat(21, (i) => `m${i}: analyzePdf(uploadId: "x") { success }`)} }`,
      'fields that the response could contain',
    ],
    [
      'cost that a skipped field with a negative page was to hide',
      `{ ${repeat(25, (i) => `u${i}: uploads(first: 100) { nodes { ${UPLOAD} } }`)} hidden: uploads(first: -1000000) @skip(if: true) { nodes { ${UPLOAD} } } }`,
      'fields that the response could contain',
    ],
    ['fields', `{ ${repeat(260, () => 'credits { periodEnd }')} }`, 'fields'],
    [
      'reads of the schema',
      `{ ${repeat(6, (i) => `s${i}: __schema { types { name } }`)} }`,
      'fields that the response could contain',
    ],
    ['tokens', `{ credits { ${repeat(1600, () => 'periodEnd')} } }`, 'tokens'],
  ])('refuse a document for its %s', async (_what, query, words) => {
    const answer = await graphql(gateway, query);
    expect(refusal(answer)).toEqual(['BAD_USER_INPUT', undefined]);
    expect(answer.errors![0]!.message).toContain(words);
    expect(answer.data).toBeUndefined();
    // From the cache the answer is the same.
    expect(refusal(await graphql(gateway, query))).toEqual(['BAD_USER_INPUT', undefined]);
  });

  test('do not apply to a page of a skipped field, which nothing reads', async () => {
    const query = `query ($on: Boolean!) { credits { periodEnd } uploads(first: -1) @include(if: $on) { nodes { id } } }`;
    const skipped = await graphql(gateway, query, { variables: { on: false } });
    expect([skipped.errors, Object.keys(skipped.data as object)]).toEqual([undefined, ['credits']]);
    expect(refusal(await graphql(gateway, query, { variables: { on: true } }))).toEqual(['BAD_USER_INPUT', 'first']);
  });

  test.each([-1, -1_000_000, 0, 101])('refuse a page of %i items', async (first) => {
    const answer = await graphql(gateway, `{ uploads(first: ${first}) { nodes { id } } }`);
    expect(refusal(answer)).toEqual(['BAD_USER_INPUT', 'first']);
    expect(answer.errors![0]!.message).toBe(`Field first has the value ${first}.`);
  });

  test('refuse a recursive introspection query', async () => {
    const query = `{ __schema { types { ${'fields { type { '.repeat(4)}name${' } }'.repeat(4)} } } }`;
    expect(refusal(await graphql(gateway, query))).toEqual(['BAD_USER_INPUT', undefined]);
  });

  test('refuse subscriptions and deferred answers', async () => {
    for (const query of ['subscription { upload { id } }', '{ credits { ... @defer { periodEnd } } }']) {
      expect(refusal(await graphql(gateway, query))?.[0]).toBe('BAD_USER_INPUT');
    }
  });
});

describe('the cache of documents', () => {
  test('evicts the oldest document and stores no long one', () => {
    const cache = createTextCache<number>();
    for (let i = 0; i < 200; i += 1) cache.set(`text ${i}`, i);
    expect(cache.get('text 0')).toBe(0);
    cache.set('one more', 200);
    expect([cache.get('text 0'), cache.get('text 1'), cache.get('one more')]).toEqual([0, undefined, 200]);
    cache.set('x'.repeat(5001), 1);
    expect(cache.get('x'.repeat(5001))).toBeUndefined();
  });
});
