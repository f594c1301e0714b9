import { beforeEach, describe, expect, test } from '@jest/globals';
import { RepeatedErrors } from '../../src/database/embedded/repeated-errors.ts';

let now: number;
let errors: RepeatedErrors;
beforeEach(() => {
  now = 0;
  errors = new RepeatedErrors(() => now);
});

/** Notes an error once a second. @returns the attempts after which PostgreSQL would be opened again */
function repeat(count: number, state: string, message: string | ((attempt: number) => string), between = false) {
  const acted: number[] = [];
  for (let attempt = 1; attempt <= count; attempt += 1) {
    now += 1_000;
    if (errors.note({ code: state, message: typeof message === 'string' ? message : message(attempt) })) {
      acted.push(attempt);
    }
    if (between) errors.note(undefined);
  }
  return acted;
}

describe('an error that PostgreSQL repeats', () => {
  test('asks for another opening once, also if other statements succeed', () => {
    expect(repeat(9, '58P02', 'could not create file "base/5/1_fsm": File exists', true)).toEqual([3]);
  });

  test('asks again when it returns after it was away for ten minutes', () => {
    repeat(3, '58030', 'could not read file', true);
    now += 601_000;
    expect(repeat(3, '58030', 'could not read file', true)).toEqual([3]);
  });

  test('asks for no opening if all repetitions come at once', () => {
    const burst = Array.from({ length: 50 }, () => errors.note({ code: '58030', message: 'could not read file' }));
    expect(burst).not.toContain(true);
  });

  test.each([
    ['a query that is wrong', '42P01'],
    ['a value that needs too much memory', 'XX000'],
    ['a lack of memory', '53200'],
  ])('asks for no opening while other statements succeed: %s', (_, state) => {
    expect(repeat(50, state, 'no', true)).toEqual([]);
  });

  test('asks for no opening on a full disk, however long it is full', () => {
    expect(repeat(500, '53100', 'could not extend file: No space left on device')).toEqual([]);
  });

  test('asks for an opening each time if no statement succeeds in between', () => {
    expect(repeat(25, 'XX000', (attempt) => `failure ${attempt}`)).toEqual([10, 20]);
  });
});
