import { expect, test } from '@jest/globals';
import { listedReferences, SEARCH_ATTRIBUTES } from '../../src/domain/temporal/search-attributes.ts';

/**
 * Custom attributes that a namespace can have on an SQL visibility store, in PostgreSQL as in SQLite and MySQL:
 * `defaultNumDBCustomSearchAttributes` in common/searchattribute/defs.go of temporalio/temporal.
 */
const SQL_VISIBILITY_SLOTS = { KEYWORD: 10, KEYWORD_LIST: 3 };

test.each(Object.entries(SQL_VISIBILITY_SLOTS))(
  'search attributes of type %s fit into an SQL visibility store',
  (type, slots) => {
    const ours = Object.entries(SEARCH_ATTRIBUTES).filter(([, each]) => each === type);
    expect(ours.length).toBeGreaterThan(0);
    expect(ours.length).toBeLessThanOrEqual(slots);
  },
);

test('every search attribute has a type with a counted limit', () => {
  expect(new Set(Object.values(SEARCH_ATTRIBUTES))).toEqual(new Set(Object.keys(SQL_VISIBILITY_SLOTS)));
});

// Each character counts for two bytes, and each reference for three more.
const ofBytes = (bytes: number, first: string): string => first.padEnd((bytes - 3) / 2, 'x');

test('the first reference and as many of the newest as fit into 1,900 bytes are searchable', () => {
  const [first, older, newest] = [ofBytes(401, 'a'), ofBytes(1001, 'b'), ofBytes(499, 'c')];
  expect(listedReferences([])).toEqual([]);
  expect(listedReferences([first, first])).toEqual([first]);
  expect(listedReferences([first, older, newest.slice(1)])).toEqual([first, older, newest.slice(1)]);
  expect(listedReferences([first, older, `${newest}x`])).toEqual([first, `${newest}x`]);
  expect(listedReferences([first, ofBytes(1499, 'd')])).toEqual([first, ofBytes(1499, 'd')]);
  // A character beyond ASCII counts for three bytes.
  expect(listedReferences([first, `${ofBytes(1499, 'd').slice(1)}é`])).toEqual([first]);
});
