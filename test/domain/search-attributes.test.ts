import { expect, test } from '@jest/globals';
import { SEARCH_ATTRIBUTES } from '../../src/domain/temporal/workflow-interface.ts';

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
