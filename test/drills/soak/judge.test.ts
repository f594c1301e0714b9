import { describe, expect, test } from '@jest/globals';
import { growth, leftovers } from './judge.ts';
import type { Sample } from './sample.ts';

const still: Sample = {
  when: '0 sent',
  files: 0,
  memory: { burnish: 500, engine: 200, temporal: 300, other: 0 },
  descriptors: { burnish: 200, engine: 80, temporal: 30, other: 0 },
  rows: { accounts: 1 },
  sizes: { database: 40, files: 0, temporal: 3 },
  histories: { open: 0, closed: 0 },
};
/** Samples after 2,000, 2,500 ... files, and one after the deletion of all */
const run = (each: (index: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 7 }, (_, index) => ({ ...still, files: 2_000 + index * 500, ...each(index) }));

describe('a soak', () => {
  test('finds memory that grows by more than a tenth, by process', () => {
    const grown = run((index) => ({ memory: { ...still.memory, temporal: 300 + index * 12 } }));
    expect(growth(grown)).toEqual(['Memory of Temporal grew from 312 to 348 MB.']);
    expect(growth(run((index) => ({ memory: { ...still.memory, temporal: 300 + index * 8 } })))).toEqual([]);
  });

  test('ignores one high sample, and the files before the caches are full', () => {
    expect(growth(run((index) => ({ memory: { ...still.memory, burnish: index === 5 ? 900 : 500 } })))).toEqual([]);
    const early = run((index) => ({ files: index * 300, memory: { ...still.memory, burnish: 500 + index * 100 } }));
    expect(growth(early)).toEqual([]);
  });

  test('finds descriptors that are not closed', () => {
    const grown = run((index) => ({ descriptors: { ...still.descriptors, burnish: 200 + index * 5 } }));
    expect(growth(grown)).toEqual(['Descriptors of gateway and workers grew from 205 to 220.']);
  });

  test('finds what a deletion leaves beside tombstones, ledger and audit log', () => {
    const last = { ...still, sizes: { ...still.sizes, files: 12 }, histories: { open: 2, closed: 8 } };
    const later = { accounts: 1, uploads: 10, enhancements: 10, credit_entries: 20, changes: 3 };
    expect(leftovers([still, last], later)).toEqual([
      '3 rows are left in changes.',
      '12 MB of files are left.',
      '2 workflows are still open.',
    ]);
  });
});
