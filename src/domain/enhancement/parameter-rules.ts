import {
  isInCentimetres,
  targetField,
  type EnhancementParameters,
  type SizeParameters,
  type ImageParameters,
  ACCOUNT_TIERS,
  type AccountLimits,
  type AccountTier,
  type PlanTerms,
  Failure,
} from '@burnish/contract';

/**
 * Rejects parameters that exceed the account's plan.
 * @throws Failure TARGET_RESOLUTION_EXCEEDS_PLAN
 */
export function assertWithinPlan(plan: PlanTerms, { targetResolution: dpi }: EnhancementParameters): void {
  const { name, maxResolution } = plan;
  if (dpi !== undefined && dpi > maxResolution) {
    throw new Failure('TARGET_RESOLUTION_EXCEEDS_PLAN', {
      field: 'targetResolution',
      detail: `Target resolution ${dpi} DPI exceeds the cap of plan ${name}, ${maxResolution} DPI.`,
    });
  }
}

/** @throws Failure BAD_USER_INPUT when the account may not use the requested tier */
export function assertTierAllowed(
  { allowedTiers }: Pick<AccountLimits, 'allowedTiers'>,
  tier: ImageParameters['engineTier'] | undefined,
): void {
  if (allowedTiers === null || tier === undefined || tier === 'AUTO' || allowedTiers.includes(tier)) return;
  const detail = `This account may not use the tier ${tier}. Choose AUTO or ${allowedTiers.join(', ')}.`;
  throw new Failure('BAD_USER_INPUT', { field: 'engineTier', detail });
}

/** Resolves `AUTO` for an account; undefined when the engine may choose the best available tier. It is never `DETAIL`. */
export function resolveAutoTier({ allowedTiers }: Pick<AccountLimits, 'allowedTiers'>): AccountTier | undefined {
  if (allowedTiers === null || allowedTiers.includes('FINE')) return undefined;
  return ACCOUNT_TIERS.find((tier) => tier !== 'DETAIL' && allowedTiers.includes(tier));
}

const IN_PIXELS = ['targetWidth', 'targetHeight'] as const;
const IN_CENTIMETRES = ['targetWidthCm', 'targetHeightCm', 'targetDpi'] as const;

/** Parameters without those of a size that the size of an order replaces: another unit, or a target beside a factor. */
export function withoutReplacedSize<Given extends SizeParameters>(preset: Given, order: SizeParameters): Given {
  const has = (names: readonly (keyof SizeParameters)[]): boolean => names.some((name) => order[name] !== undefined);
  const replaced: (keyof SizeParameters)[] = [
    ...(has(IN_PIXELS) ? IN_CENTIMETRES : []),
    ...(isInCentimetres(order) ? IN_PIXELS : []),
    ...(targetField(order) === undefined ? [] : (['upscalingFactor'] as const)),
    ...(has(['upscalingFactor']) ? [...IN_PIXELS, ...IN_CENTIMETRES, 'fit' as const] : []),
  ];
  return Object.fromEntries(Object.entries(preset).filter(([name]) => !(replaced as string[]).includes(name))) as Given;
}
