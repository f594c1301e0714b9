import { expect, test } from 'vitest';
import type { Failure } from '../../src/domain/failures.ts';
import { assertResolutionWithinPlan } from '../../src/domain/accounts/plans.ts';

test.each([
  ['FREE', 'Free', 300],
  ['BASIC', 'Basic', 600],
  ['BUSINESS', 'Business', 1200],
] as const)('plan %s gives up to its cap, and beyond it names itself and the cap', (plan, name, cap) => {
  expect(() => assertResolutionWithinPlan(plan, cap)).not.toThrow();
  let refusal: Failure | undefined;
  try {
    assertResolutionWithinPlan(plan, cap + 0.5);
  } catch (error) {
    refusal = error as Failure;
  }
  expect([refusal?.code, refusal?.field]).toEqual(['TARGET_RESOLUTION_EXCEEDS_PLAN', 'targetResolution']);
  expect(refusal?.message).toMatch(new RegExp(`${name}.*${cap} DPI`));
});
