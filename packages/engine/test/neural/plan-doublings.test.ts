import { describe, expect, test } from '@jest/globals';
import { NO_MODELS, type BundledModel, type ModelSet } from '../../src/neural/model-set.ts';
import {
  costOfEnlarging,
  isDetailed,
  MAX_DETAIL_PIXELS,
  MAX_FINE_PIXELS,
  planDoublings,
} from '../../src/neural/plan-doublings.ts';
import { engineVersionWith } from '../../src/version.ts';

const fast: BundledModel = { path: '/fast.onnx', name: 'fast-1', margin: 8, tile: 128, alignment: 1 };
const restore: BundledModel = { ...fast, path: '/restore.onnx', name: 'restore-1' };
const detail: BundledModel = { ...fast, path: '/detail.onnx', name: 'detail-1' };
const both: ModelSet = { fine: '/fine', fast, restore, detail };
const pixels = 1_000_000;

describe('the tiers of the doublings', () => {
  test.each([
    ['AUTO', both, ['fine', 'fine']],
    ['FINE', both, ['fine', 'fine']],
    ['FAST', both, ['fast', 'fast']],
    ['PLAIN', both, ['plain', 'plain']],
    ['AUTO', { ...both, fine: null }, ['fast', 'fast']],
    ['FINE', { ...both, fine: null }, ['fast', 'fast']],
    ['FAST', { ...both, fast: null }, ['plain', 'plain']],
    ['FINE', NO_MODELS, ['plain', 'plain']],
    ['DETAIL', both, ['fine', 'fine']],
  ] as const)('depend on the available networks: %s', (asked, models, expected) => {
    expect(planDoublings({ pixels, scale: 4, asked, models })).toEqual(expected);
  });

  test.each([
    ['AUTO', both, ['fast', 'fast']],
    ['FINE', both, ['fine', 'fine']],
    ['DETAIL', both, ['fast', 'fast']],
    ['AUTO', { ...both, fast: null }, ['fine', 'fine']],
    ['AUTO', NO_MODELS, ['plain', 'plain']],
  ] as const)(
    'follow a preference for the fast network only with AUTO, or in place of DETAIL: %s',
    (asked, models, expected) => {
      expect(planDoublings({ pixels, scale: 4, asked, suited: 'fast', models })).toEqual(expected);
    },
  );

  test('are empty without enlargement', () => {
    expect(planDoublings({ pixels, scale: 1, asked: 'AUTO', models: both })).toEqual([]);
  });

  test('use the fast network for images that are too large, intermediate sizes included', () => {
    const tiers = (megapixels: number, scale: number): string[] =>
      planDoublings({ pixels: megapixels * 1e6, scale, asked: 'AUTO', models: both });
    expect(MAX_FINE_PIXELS).toBe(50_000_000);
    expect(tiers(12.4, 2)).toEqual(['fine']);
    expect(tiers(12.6, 2)).toEqual(['fast']);
    expect(tiers(2.4, 4)).toEqual(['fine', 'fine']);
    expect(tiers(2.6, 4)).toEqual(['fine', 'fast']);
    expect(tiers(15, 4)).toEqual(['fast', 'fast']);
  });
});

describe('the tier DETAIL', () => {
  const order = { pixels, scale: 2, asked: 'DETAIL', models: both } as const;

  test('is used on request only, for an enlargement of a picture that is not too large', () => {
    expect(isDetailed(order)).toBe(true);
    for (const asked of ['AUTO', 'FINE', 'FAST', 'PLAIN'] as const) expect(isDetailed({ ...order, asked })).toBe(false);
    expect(isDetailed({ ...order, scale: 1 })).toBe(false);
    expect(isDetailed({ ...order, models: { ...both, detail: null } })).toBe(false);
    const most = MAX_DETAIL_PIXELS;
    expect([most, most + 1].map((many) => isDetailed({ ...order, pixels: many }))).toEqual([true, false]);
    expect(most).toBe(6_250_000);
  });

  test('takes as long for X2 as for X4', () => {
    const cost = costOfEnlarging(order);
    expect(costOfEnlarging({ ...order, scale: 4 })).toBe(cost);
    expect(cost).toBeGreaterThan(costOfEnlarging({ ...order, asked: 'FINE' }));
  });
});

test('the version of the engine changes with every network that could make the image', () => {
  const other = { ...fast, name: 'other' };
  const sets: ModelSet[] = [both, { ...both, fast: other }, { ...both, restore: other }, { ...both, detail: other }];
  for (const set of [...sets])
    sets.push({ ...set, fine: null }, { ...set, fast: null }, { ...set, restore: null }, { ...set, detail: null });
  sets.push({ ...NO_MODELS, restore }, NO_MODELS);
  const versions = sets.map(engineVersionWith);
  expect(new Set(versions).size).toBe(new Set(sets.map((set) => JSON.stringify(set))).size);
  expect(versions[0]).toMatch(/^12\.\d+-fine-[0-9a-f]{8}$/);
  // Where a network lies makes no difference.
  expect(engineVersionWith({ ...both, fine: '/elsewhere', fast: { ...fast, path: '/elsewhere' } })).toBe(versions[0]);
});
