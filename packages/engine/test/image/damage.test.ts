import { describe, expect, test } from '@jest/globals';
import { levelFor, NO_DAMAGE as clean, suitedTier } from '../../src/image/steps/damage.ts';

describe('the amount that a network removes', () => {
  test.each([
    ['little of a clean picture', clean, 0],
    ['little of a good JPEG', { ...clean, quality: 92 }, 0],
    ['some of a usual JPEG', { ...clean, quality: 75 }, 1],
    ['more of it when repair is asked for', { ...clean, quality: 75, repair: true }, 3],
    ['much of a bad JPEG', { ...clean, quality: 40 }, 3],
    ['much of noise', { ...clean, noise: 6 }, 3],
    ['no noise of a page, whose lines look like it', { ...clean, noise: 6, drawing: true }, 0],
  ] as const)('is %s', (_, damage, expected) => {
    expect(levelFor(damage)).toBe(expected);
  });
});

describe('the tier that AUTO stands for', () => {
  test.each([
    ['FINE for a clean picture', clean, 'fine'],
    ['FAST for a photograph from a JPEG', { ...clean, quality: 75 }, 'fast'],
    ['FAST for a photograph from a good JPEG', { ...clean, quality: 92 }, 'fast'],
    ['FINE for a JPEG that is nearly as good as its original', { ...clean, quality: 93 }, 'fine'],
    ['FINE for a noisy photograph', { ...clean, quality: 75, noise: 4 }, 'fine'],
    ['FINE for a page', { ...clean, quality: 75, drawing: true }, 'fine'],
  ] as const)('is %s', (_, damage, expected) => {
    expect(suitedTier(damage)).toBe(expected);
  });
});
