import { expect, test } from 'vitest';
import type { Failure } from '../../src/domain/failures.ts';
import { assertWithinPlan } from '../../src/domain/enhancement/parameters.ts';

test.each([
  ['FREE', 'Free', 300],
  ['BASIC', 'Basic', 600],
  ['BUSINESS', 'Business', 1200],
] as const)('plan %s gives up to its cap, and beyond it names itself and the cap', (plan, name, cap) => {
  expect(() => assertWithinPlan(plan, { targetResolution: cap })).not.toThrow();
  let refusal: Failure | undefined;
  try {
    assertWithinPlan(plan, { targetResolution: cap + 0.5 });
  } catch (error) {
    refusal = error as Failure;
  }
  expect([refusal?.code, refusal?.field]).toEqual(['TARGET_RESOLUTION_EXCEEDS_PLAN', 'targetResolution']);
  expect(refusal?.message).toMatch(new RegExp(`${name}.*${cap} DPI`));
});
