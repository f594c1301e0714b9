import { expect, it } from '@jest/globals';
import { toFailure } from '../../src/api/http/problem.ts';
import { isDiskFull } from '../../src/domain/failed-machinery.ts';

const full = Object.assign(new Error('could not extend file'), { code: '53100' });

it('a full disk is distinguished from other database errors at any depth of causes', () => {
  expect(isDiskFull(full)).toBe(true);
  expect(isDiskFull(new Error('Failed query: insert into …', { cause: full }))).toBe(true);
  expect(isDiskFull(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBe(false);
  expect(isDiskFull('53100')).toBe(false);
});

it('a caller gets one sentence about a full disk, without the query', () => {
  const failure = toFailure(new Error('Failed query: insert into "uploads" …', { cause: full }));
  expect(failure).toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The disk is full. Try again later.',
    retryable: true,
  });
});
