import { Failure } from '../failures.ts';

export const PLANS = {
  FREE: { name: 'Free', maxResolution: 300 },
  BASIC: { name: 'Basic', maxResolution: 600 },
  BUSINESS: { name: 'Business', maxResolution: 1200 },
} as const;

export type Plan = keyof typeof PLANS;

/** @throws Failure TARGET_RESOLUTION_EXCEEDS_PLAN when `dpi` is over the cap of the plan */
export function assertResolutionWithinPlan(plan: Plan, dpi: number): void {
  const { name, maxResolution } = PLANS[plan];
  if (dpi > maxResolution) {
    throw new Failure('TARGET_RESOLUTION_EXCEEDS_PLAN', {
      field: 'targetResolution',
      detail: `Target resolution ${dpi} DPI exceeds the cap of plan ${name}, ${maxResolution} DPI.`,
    });
  }
}
