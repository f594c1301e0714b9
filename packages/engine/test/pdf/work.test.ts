import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { priceFindings, priceOfPdf } from '@burnish/contract';
import { MAX_OUTPUT_PIXELS } from '@burnish/contract/engine';
import { toFindings } from '../../src/pdf/analyze/findings.ts';
import type { EligibleImage, PdfFacts } from '../../src/pdf/analyze/facts.ts';
import { countWork, sizeFor, listWork } from '../../src/pdf/analyze/work.ts';
import { findShortfall } from '../../src/pdf/analyze/shortfall.ts';
import { notesOnResult } from '../../src/pdf/enhance/result-notes.ts';
import { parametersOf } from './support.ts';

const image = (more: Partial<EligibleImage>): EligibleImage => ({
  number: 1,
  width: 600,
  height: 400,
  resolution: 150,
  color: true,
  shows: { kind: 'PHOTOGRAPH', reason: 'natural' },
  maxSide: 65_500,
  maxPixels: MAX_OUTPUT_PIXELS,
  coding: 'lossless',
  bytes: 1,
  drawnOn: [1],
  ...more,
});
const factsOf = (eligible: EligibleImage[]): PdfFacts => ({
  format: 10,
  fileBytes: 1,
  pages: 1,
  images: eligible.length,
  eligible,
  bilevel: [],
  leftAlone: [],
  signed: false,
  rebuilt: false,
});
const target = (targetResolution: number, upscalingThreshold = 1.2) =>
  parametersOf({ targetResolution, upscalingThreshold });

describe('the size of an enlarged image in a PDF', () => {
  it('brings the lowest resolution to the target', () => {
    expect(sizeFor(image({}), target(300))).toEqual({ width: 1200, height: 800, resize: true });
  });

  it('stays the same within the threshold, and changes above it', () => {
    expect(sizeFor(image({ resolution: 250 }), target(300))).toMatchObject({ resize: false });
    expect(sizeFor(image({ resolution: 249 }), target(300))).toMatchObject({ resize: true });
    expect(sizeFor(image({ resolution: 250 }), target(300, 1.1))).toMatchObject({ resize: true });
  });

  it('is at most four times, with no side longer than the encoding allows', () => {
    expect(sizeFor(image({ resolution: 10 }), target(300))).toMatchObject({ width: 2400, height: 1600 });
    expect(sizeFor(image({ width: 40_000, height: 100 }), target(300))).toMatchObject({ width: 65_500, height: 163 });
  });

  it('is limited by the memory for its samples', () => {
    const { width, height } = sizeFor(image({ width: 10_000, height: 10_000, maxPixels: 166_000_000 }), target(300));
    expect(width * height).toBeLessThanOrEqual(166_000_000);
    expect(width).toBeGreaterThan(12_800);
  });

  it('stays the same if the bounds keep it within the threshold', () => {
    expect(sizeFor(image({ width: 60_000, height: 100 }), target(300))).toMatchObject({ width: 60_000, resize: false });
  });

  it('stays the same for an image that is drawn without extent', () => {
    expect(sizeFor(image({ resolution: null }), target(300))).toMatchObject({ resize: false });
  });

  it('respects every bound, and reaches the target unless a bound forbids it, for any image', () => {
    const images = fc.record({
      width: fc.integer({ min: 16, max: 65_000 }),
      height: fc.integer({ min: 16, max: 1800 }),
      resolution: fc.double({ min: 0.01, max: 5000, noNaN: true }),
    });
    const parameters = fc.record({
      dpi: fc.integer({ min: 72, max: 1200 }),
      threshold: fc.double({ min: 1, max: 5, noNaN: true }),
    });
    fc.assert(
      fc.property(images, parameters, (given, { dpi, threshold }) => {
        const { width, height, resize } = sizeFor(image(given), target(dpi, threshold));
        if (!resize) return width === given.width && height === given.height;
        const bounded = width === given.width * 4 || width >= 65_499 || width * height > MAX_OUTPUT_PIXELS * 0.99;
        const reached = (given.resolution * width) / given.width >= dpi - 1e-3;
        return (
          width > given.width && width <= 65_500 && width * height <= MAX_OUTPUT_PIXELS * 1.01 && (bounded || reached)
        );
      }),
    );
  });
});

describe('the charge of a PDF', () => {
  const facts = factsOf([
    image({}),
    image({ number: 2, color: false }),
    image({ number: 3, resolution: 400 }),
    image({ number: 4, resolution: 400, color: false }),
  ]);

  it('is the dearer feature for each image', () => {
    const work = countWork(listWork(facts, parametersOf()));
    expect(work).toEqual({ colorOnly: 1, resizeOnly: 1, both: 1 });
    expect(priceOfPdf(work)).toBe(1 + 4 + 4);
  });

  it('contains no colour unless it is requested', () => {
    const parameters = parametersOf({ customColorConfig: { auto: false } });
    expect(countWork(listWork(facts, parameters))).toEqual({ colorOnly: 0, resizeOnly: 2, both: 0 });
    expect(countWork(listWork(facts, parametersOf({ customColorConfig: { auto: false, gamma: 0.1 } }))).colorOnly).toBe(
      1,
    );
  });

  it('equals the estimate from the statistics', () => {
    expect(priceFindings(toFindings(facts))).toEqual({
      totalCredits: 9,
      statistics: {
        pages: 1,
        images: 4,
        colorEligible: 2,
        resizeEligible: 2,
        kinds: { PHOTOGRAPH: 4 },
        credits: { color: 2, resize: 8, colorAndResize: 9 },
      },
    });
  });
});

describe('the pixels of an enhancement', () => {
  const images = (count: number) =>
    factsOf(Array.from({ length: count }, (_, index) => image({ number: index, width: 10_000, height: 10_000 })));

  it('may exceed their limit only with more images than the analysis reports as safe', () => {
    // 100 megapixels each, and 1,600 once enlarged four times.
    expect(toFindings(images(147))).not.toHaveProperty('mayExceedPixels');
    expect(toFindings(images(148))).toMatchObject({ mayExceedPixels: true });
    expect(() => listWork(images(148), target(300))).not.toThrow();
    expect(() => listWork(images(800), target(1200))).toThrow(expect.objectContaining({ code: 'TOO_MANY_PIXELS' }));
  });
});

/** The assembly of a result without any change. */
const UNCHANGED = {
  enhanced: 0,
  upright: [],
  turned: 0,
  trimmed: [],
  skewed: new Map(),
  together: [],
  split: 0,
  unsplit: new Map(),
  dropped: [],
  undropped: new Map(),
  fitted: new Map(),
  linearized: false,
  text: { pages: 0, unread: new Map() },
  coarser: [],
  smaller: [],
  tooMuch: [],
  kept: new Map(),
  enlarged: new Map(),
};

describe('images below the target resolution', () => {
  const facts = factsOf([
    image({ resolution: 60 }),
    image({ number: 2, resolution: 24 }),
    image({ number: 3, resolution: 75 }),
    image({ number: 4, resolution: 260 }),
    image({ number: 5, resolution: 20, hidden: true }),
  ]);

  it('are counted with their resolution, except those within the threshold', () => {
    const shortfall = findShortfall(facts, target(300));
    expect(shortfall).toEqual({ images: 2, lowest: 96, highest: 240 });
    expect(notesOnResult({ format: 1, facts, parameters: target(300), work: [] }, UNCHANGED)).toContainEqual({
      code: 'BELOW_TARGET',
      ...shortfall,
      target: 300,
      mostTimes: 4,
      mostSide: 65_500,
    });
    expect(toFindings(facts)).toMatchObject({ belowTarget: 2, lowestReached: 96 });
  });

  it('are none if all reach it', () => {
    expect(findShortfall(facts, target(96))).toBeNull();
    expect(toFindings(factsOf([image({})]))).not.toHaveProperty('belowTarget');
  });
});
