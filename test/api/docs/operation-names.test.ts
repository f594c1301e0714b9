import { expect, test } from '@jest/globals';
import { OPERATIONS } from '../../../src/api/operations.ts';

/** Operations of records, without those that need no key. */
const OF_RECORDS = OPERATIONS.filter(({ path, scope }) => path.startsWith('/v1/') && scope !== undefined);
const endsInId = (path: string): boolean => /\{\w+\}$/.test(path);

/** The verb that begins the name of an operation on a record or a list. */
const VERBS = { patch: 'update', put: 'save', delete: 'delete', head: 'get' } as const;
/** tus names its PATCH, which adds bytes. */
const OTHERWISE = ['appendToResumableUpload'];

test.each(OF_RECORDS.filter(({ operationId }) => !OTHERWISE.includes(operationId)))(
  '$method $path is called $operationId, by a verb and its record',
  ({ method, path, operationId }) => {
    expect(operationId).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    if (method in VERBS) expect(operationId).toMatch(new RegExp(`^${VERBS[method as keyof typeof VERBS]}[A-Z]`));
    if (method === 'get' && endsInId(path)) expect(operationId).toMatch(/^get[A-Z]/);
  },
);

test('no verb means the same as another one', () => {
  const verbs = new Set(OF_RECORDS.map(({ operationId }) => /^[a-z]+/.exec(operationId)![0]));
  const synonyms = ['request', 'read', 'show', 'change', 'edit', 'put', 'set', 'remove', 'terminate'];
  expect(synonyms.filter((verb) => verbs.has(verb))).toEqual([]);
});
