import * as rules from '@burnish/engine/contract';
import {
  isInCentimetres,
  orderName,
  targetField,
  type EnhancementParameters,
  type GivenSize,
  type ImageParameters,
  type MediaKind,
} from '@burnish/engine/contract';
import { ACCOUNT_TIERS, type AccountLimits, type AccountTier, type PlanTerms } from '../accounts/account.ts';
import { withFailures } from '../engine-failure.ts';
import { Failure } from '../failures.ts';
import type { ProviderName } from '../upload/upload.ts';

/**
 * Rejects contradictions between parameters of an image, and parameters that its provider lacks.
 * @throws Failure BAD_USER_INPUT
 */
export function assertImageParametersAgree(given: EnhancementParameters, provider: ProviderName): void {
  if (provider === 'hosted') assertHosted(given);
  withFailures(() => rules.assertImageParametersAgree(given));
}

/**
 * Rejects parameters of the other kind of file (docs/contract.md: an error that names the field).
 * @throws Failure BAD_USER_INPUT
 */
export const assertParametersFit = (kind: MediaKind, given: EnhancementParameters): void =>
  withFailures(() => rules.assertParametersFit(kind, given, orderName));

/**
 * Rejects parameters that no kind of file allows together, for a file whose kind is still unknown.
 * @throws Failure BAD_USER_INPUT
 */
export const assertParametersAgree = (given: EnhancementParameters): void =>
  withFailures(() => rules.assertParametersAgree(given, orderName));

/** Rejects what the hosted service lacks. */
function assertHosted(given: EnhancementParameters): void {
  const target = targetField(given);
  const refuse = (field: string, remedy: string, name = field): never => {
    const detail = `The hosted service does not support ${name}. Choose the provider LOCAL${remedy}.`;
    throw new Failure('BAD_USER_INPUT', { field, detail });
  };
  if (target !== undefined) refuse(target, ', or use upscalingFactor');
  if (given.fidelity === 'STRICT') refuse('fidelity', '', 'fidelity STRICT');
  if (given.mode === 'DOCUMENT') refuse('mode', '', 'mode DOCUMENT');
  const option = optionOfEngine(given);
  if (option !== undefined) refuse(option, '');
}

/** Returns an option of PDFs that only the engine has. */
function optionOfEngine({ pages, split, text }: EnhancementParameters): string | undefined {
  if (pages !== undefined) return orderName('pages');
  if (split === true) return orderName('split');
  return text === true ? orderName('text') : undefined;
}

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
export function withoutReplacedSize<Given extends GivenSize>(preset: Given, order: GivenSize): Given {
  const has = (names: readonly (keyof GivenSize)[]): boolean => names.some((name) => order[name] !== undefined);
  const replaced: (keyof GivenSize)[] = [
    ...(has(IN_PIXELS) ? IN_CENTIMETRES : []),
    ...(isInCentimetres(order) ? IN_PIXELS : []),
    ...(targetField(order) === undefined ? [] : (['upscalingFactor'] as const)),
    ...(has(['upscalingFactor']) ? [...IN_PIXELS, ...IN_CENTIMETRES, 'fit' as const] : []),
  ];
  return Object.fromEntries(Object.entries(preset).filter(([name]) => !(replaced as string[]).includes(name))) as Given;
}
