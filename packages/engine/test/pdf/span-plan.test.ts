import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import type { PdfFacts } from '../../src/pdf/analyze/facts.ts';
import { makePlan } from '../../src/pdf/analyze/plan.ts';
import type { PdfPlan } from '../../src/pdf/analyze/work.ts';
import { isForOneGo, ONE_GO_PIXELS, splitIntoSpans } from '../../src/pdf/enhance/spans.ts';
import { RESIZE_ONLY } from './support.ts';

/** A plan that doubles images of these sizes. */
function planFor(sides: readonly number[]): PdfPlan {
  const eligible = sides.map((side, index) => ({
    number: index + 1,
    width: side,
    height: side,
    resolution: 150,
    color: false,
    shows: { kind: 'PHOTOGRAPH', reason: 'natural' } as const,
    maxSide: 65_500,
    maxPixels: 250_000_000,
    coding: 'lossless' as const,
    bytes: 1,
    drawnOn: [1],
  }));
  const facts: PdfFacts = {
    format: 10,
    fileBytes: 1,
    pages: 1,
    images: sides.length,
    eligible,
    bilevel: [],
    leftAlone: [],
    signed: false,
    rebuilt: false,
  };
  return makePlan(facts, { ...RESIZE_ONLY, targetResolution: 300 });
}

describe('the spans of a plan', () => {
  it('contain every image once, in order, and are 200 at most', () => {
    const side = fc.integer({ min: 16, max: 10_000 });
    fc.assert(
      fc.property(fc.array(side, { minLength: 1, maxLength: 600 }), (sides) => {
        const spans = splitIntoSpans(planFor(sides));
        expect(spans.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))).toEqual([
          ...sides.keys(),
        ]);
        expect(spans.length).toBeLessThanOrEqual(200);
        expect(spans.every(({ from, to }) => to > from)).toBe(true);
      }),
    );
  });

  it('of 10,000 equal images are 200 of 50', () => {
    const spans = splitIntoSpans(planFor(Array.from({ length: 10_000 }, () => 1400)));
    expect(spans).toHaveLength(200);
    expect(new Set(spans.map(({ from, to }) => to - from))).toEqual(new Set([50]));
  });

  it('last some seconds each: two images of twelve megapixels, enlarged four times, form one span', () => {
    const spans = splitIntoSpans(planFor(Array.from({ length: 10 }, () => 3464)));
    expect(spans.map(({ from, to }) => to - from)).toEqual([2, 2, 2, 1, 2, 1]);
  });
});

describe('one activity without spans', () => {
  it('enhances work of some ten seconds', () => {
    const isOneGo = (count: number, side: number): boolean =>
      isForOneGo(planFor(Array.from({ length: count }, () => side)), ONE_GO_PIXELS);
    // Results of four megapixels may come from a network, those of 36 are interpolated.
    expect([isOneGo(5, 1000), isOneGo(6, 1000)]).toEqual([true, false]);
    expect([isOneGo(2, 3000), isOneGo(3, 3000)]).toEqual([true, false]);
  });

  it('enhances a single image of any size', () => {
    expect(isForOneGo(planFor([7000]), ONE_GO_PIXELS)).toBe(true);
    expect(isForOneGo(planFor([]), ONE_GO_PIXELS)).toBe(true);
  });
});
