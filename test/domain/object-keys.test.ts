import { expect, test } from '@jest/globals';
import { assertObjectKey } from '../../src/domain/files/object-keys.ts';

const segments = (count: number, length = 1): string =>
  Array.from({ length: count }, () => 'a'.repeat(length)).join('/');

test.each([
  ['one character', 'a'],
  ['digits, `_` and `-` after the first character', 'acc_1/0-_/original'],
  ['a segment of 100 characters', segments(1, 100)],
  ['eight segments', segments(8)],
  ['400 characters', `${segments(3, 99)}/${segments(1, 100)}`],
])('an object key may have %s', (_, key) => {
  expect(() => assertObjectKey(key)).not.toThrow();
});

test.each([
  ['nothing', ''],
  ['a first segment that begins with `_`', '_cc/a'],
  ['a later segment that begins with `-`', 'acc/-a'],
  ['dots', 'acc/../a'],
  ['upper case', 'acc/A'],
  ['an empty segment', 'acc//a'],
  ['a segment of 101 characters', segments(1, 101)],
  ['nine segments', segments(9)],
  ['401 characters', `${segments(3, 99)}/${segments(1, 99)}/a`],
])('an object key with %s is refused', (_, key) => {
  expect(() => assertObjectKey(key)).toThrow(JSON.stringify(key.slice(0, 80)));
});
