import { expect, test } from '@jest/globals';
import { MAX_PAGE_CHOICES, type PageChoices } from '@burnish/contract';
import { choosePaidWork, MAX_EARLIER } from '../../src/domain/enhancement/paid-work.ts';

/** Keeps this many pages, from a page on. */
const keep = (from: number, count: number): PageChoices =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [from + at, 'ORIGINAL' as const]));

test('the earlier enhancements that decide a price name a bounded number of pages', () => {
  const earlier = [0, 1, 2].map((k) => ({ id: `enh_${k}`, pages: keep(1 + k * MAX_PAGE_CHOICES, MAX_PAGE_CHOICES) }));
  expect(choosePaidWork(undefined, earlier)!.paidExcept.map(({ length }) => length)).toEqual([
    MAX_PAGE_CHOICES,
    MAX_PAGE_CHOICES,
  ]);
});

test('a bounded number of earlier enhancements decides a price', () => {
  const earlier = Array.from({ length: MAX_EARLIER + 1 }, (_, k) => ({ id: `enh_${k}`, pages: keep(k + 1, 1) }));
  expect(choosePaidWork(undefined, earlier)!.paidExcept).toHaveLength(MAX_EARLIER);
});
