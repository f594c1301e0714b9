import { expect, test } from '@jest/globals';
import { planSize, printResolution } from '@burnish/contract';

test.each([
  [50, 1],
  [100, 1],
  [101, 2],
  [200, 2],
  [201, 2],
  [279, 2],
  [280, 4],
  [400, 4],
])('a width of 100 pixels reaches %i by an enlargement of %i times', (targetWidth, scale) => {
  expect(planSize({ width: 100, height: 50 }, { upscalingFactor: 'X1', targetWidth })).toMatchObject({
    scale,
    width: targetWidth,
  });
});

test('the network of DETAIL enlarges four times for a target above twice the image', () => {
  const plan = (targetWidth: number) =>
    planSize({ width: 100, height: 50 }, { upscalingFactor: 'X1', targetWidth, engineTier: 'DETAIL' }).scale;
  expect([plan(100), plan(200), plan(201)]).toEqual([1, 2, 4]);
});

test.each([
  [{ targetWidthCm: 10 }, 1181, 300],
  [{ targetWidthCm: 10, targetDpi: 150 }, 591, 150],
  [{ targetHeightCm: 2.5, targetDpi: 600 }, 1182, 600],
] as const)('%j is %i pixels wide at %i DPI', (target, width, dpi) => {
  const size = planSize({ width: 1200, height: 600 }, { upscalingFactor: 'X1', ...target });
  expect([size.width, printResolution(target)]).toEqual([width, dpi]);
});

test('a size in centimetres covers both sides with the rounded pixels', () => {
  const target = { targetWidthCm: 9, targetHeightCm: 13, fit: 'COVER' } as const;
  expect(planSize({ width: 1000, height: 1000 }, { upscalingFactor: 'X1', ...target })).toMatchObject({
    scale: 2,
    width: 1063,
    height: 1535,
    resized: { width: 1535, height: 1535 },
  });
});

test('a refused target names how far beyond the limit it is', () => {
  const plan = (targetWidth: number) => planSize({ width: 600, height: 400 }, { upscalingFactor: 'X1', targetWidth });
  expect(plan(2_400)).toMatchObject({ scale: 4, width: 2_400 });
  expect(() => plan(2_401)).toThrow(
    'The target is 4.002 times as large as the image; at most 4 times is possible. Choose at most 2400 × 1600 pixels.',
  );
});
