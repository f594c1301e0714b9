import { MAX_NOTED_NUMBERS, type NotedNumbers } from '@burnish/contract/engine';

/** Bounds the numbers of pages or images that a note lists. */
export const noteNumbers = (numbers: readonly number[]): NotedNumbers => ({
  first: numbers.slice(0, MAX_NOTED_NUMBERS),
  count: numbers.length,
});
