import { expect, test } from '@jest/globals';
import type { AccountTier } from '@burnish/contract';
import { assertTierAllowed, resolveAutoTier } from '../../src/domain/enhancement/parameter-rules.ts';

test.each<[AccountTier[] | null, AccountTier | undefined]>([
  [null, undefined],
  [['PLAIN', 'FAST', 'FINE'], undefined],
  [['FINE'], undefined],
  [['PLAIN', 'FAST'], 'FAST'],
  [['PLAIN'], 'PLAIN'],
  [['DETAIL', 'FINE'], undefined],
  [['DETAIL', 'PLAIN'], 'PLAIN'],
])('of the tiers %j, AUTO means %s', (allowedTiers, tier) => {
  expect(resolveAutoTier({ allowedTiers })).toBe(tier);
});

test('an account may use its tiers, AUTO and none', () => {
  for (const tier of ['FAST', 'AUTO', undefined] as const) assertTierAllowed({ allowedTiers: ['FAST'] }, tier);
  for (const tier of ['FINE', 'DETAIL'] as const) assertTierAllowed({ allowedTiers: null }, tier);
  const refused = expect.objectContaining({ code: 'BAD_USER_INPUT', field: 'engineTier' });
  for (const tier of ['FINE', 'DETAIL'] as const)
    expect(() => assertTierAllowed({ allowedTiers: ['FAST'] }, tier)).toThrow(refused);
});
