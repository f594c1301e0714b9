import { describe, expect, test } from '@jest/globals';
import type { Sample } from './sample.ts';
import { growth, leftovers, slopeOf } from './trends.ts';

const still: Sample = {
  hours: 0,
  lifecycles: 0,
  memory: { burnish: 500, engine: 200, temporal: 300, other: 0 },
  descriptors: { burnish: 200, engine: 80, temporal: 30, other: 0 },
  sizes: { database: 40, files: 0, temporal: 3 },
  histories: { open: 0, closed: 0 },
};
/** A warm-up of five samples, and ten after it */
const run = (each: (index: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 15 }, (_, index) => ({
    ...{ ...still, hours: index / 10, lifecycles: index * 200 },
    ...each(index - 5),
  }));

describe('a soak', () => {
  test('finds memory that grows by more than a tenth, by process', () => {
    const grown = run((index) => ({ memory: { ...still.memory, temporal: 300 + index * 8 } }));
    expect(growth(grown)).toEqual(['Memory of Temporal grew from 308 to 364 MB.']);
    expect(growth(run((index) => ({ memory: { ...still.memory, temporal: 300 + index * 4 } })))).toEqual([]);
  });

  test('ignores one high sample, and the time before the caches are full', () => {
    expect(growth(run((index) => ({ memory: { ...still.memory, burnish: index === 9 ? 900 : 500 } })))).toEqual([]);
    const early = run((index) => ({ memory: { ...still.memory, burnish: 500 + Math.min(index, 0) * 50 } }));
    expect(growth(early)).toEqual([]);
  });

  test('counts decoders at their most, since the work of a moment decides about their number', () => {
    const some = run((index) => ({ memory: { ...still.memory, engine: index % 2 === 0 ? 100 : 300 } }));
    expect(growth(some)).toEqual([]);
    const grown = run((index) => ({ memory: { ...still.memory, engine: 200 + index * 30 } }));
    expect(growth(grown)).toEqual(['Memory of decoders grew from 380 to 440 MB.']);
  });

  test('finds descriptors that are not closed', () => {
    const grown = run((index) => ({ descriptors: { ...still.descriptors, burnish: 200 + index * 5 } }));
    expect(growth(grown)).toEqual(['Descriptors of gateway and workers grew from 205 to 240.']);
  });

  test('measures growth in an hour in spite of single high samples', () => {
    const grown = run((index) => ({ sizes: { ...still.sizes, files: index === 3 ? 5_000 : index * 20 } }));
    expect(slopeOf(grown, ({ sizes }) => sizes.files)).toBeCloseTo(200);
  });

  test('finds what a deletion leaves beside tombstones, ledger and audit log', () => {
    const later = { accounts: 1, uploads: 10, enhancements: 10, credit_entries: 20, changes: 3 };
    expect(leftovers({ accounts: 1 }, later, [0, 12], 2)).toEqual([
      '3 rows are left in changes.',
      '12 MB of files are left.',
      '2 workflows are still open.',
    ]);
  });
});
