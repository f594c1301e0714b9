import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from '@burnish/contract';

const NOW = Date.UTC(2030, 0, 1, 12);
const DAY = 24 * 60 * 60 * 1000;

describe('the header Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['86400', DAY],
    ['86401', DAY],
    ['999999999999999', DAY],
    ['Tue, 01 Jan 2030 12:00:30 GMT', 30_000],
    ['Tuesday, 01-Jan-30 12:00:30 GMT', 30_000],
    ['Tue Jan  1 12:00:30 2030', 30_000],
    ['Tue, 01 Jan 2030 11:00:00 GMT', 0],
    ['Fri, 01 Jan 2100 00:00:00 GMT', DAY],
  ])('%j means %d ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });

  it.each([
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '2030-01-01',
    '9'.repeat(400),
    'Tue, 99 Foo 2030 12:00:30 GMT',
    '1 2',
  ])('%j contains no time', (header) => {
    expect(parseRetryAfter(header, NOW)).toBeNull();
  });

  it('gives null or a whole wait of at most a day for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const wait = parseRetryAfter(header, NOW);
          expect(wait === null || (wait >= 0 && wait <= DAY)).toBe(true);
        },
      ),
    );
  });
});
