import { expect, test } from '@jest/globals';
import { planSize } from '../../src/domain/enhancement/target-size.ts';

test.each([
  [50, 1],
  [100, 1],
  [101, 2],
  [200, 2],
  [201, 4],
  [400, 4],
])('a width of 100 pixels reaches %i by an enlargement of %i times', (targetWidth, scale) => {
  expect(planSize({ width: 100, height: 50 }, { upscalingFactor: 'X1', targetWidth })).toMatchObject({
    scale,
    width: targetWidth,
  });
});
