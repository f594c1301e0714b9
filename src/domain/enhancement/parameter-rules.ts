import {
  CHANGES_BESIDE_SIZE,
  IMAGE_PARAMETERS,
  orderName,
  PDF_PARAMETERS,
  resolveImageParameters,
  type EnhancementParameters,
  type ImageParameters,
  type MediaKind,
  type ParameterField,
  counted,
  hasBothSides,
  isInCentimetres,
  printResolution,
  SIDES,
  TARGET_BOUNDS,
  targetField,
  targetSide,
  type GivenSize,
} from '@burnish/engine/contract';
import {
  ACCOUNT_TIERS,
  toPlanTerms,
  type AccountLimits,
  type AccountTier,
  type GivenPlan,
} from '../accounts/account.ts';
import { Failure } from '../failures.ts';
import type { ProviderName } from '../upload/upload.ts';

/**
 * Rejects contradictions between parameters of an image, and parameters that its provider lacks.
 * @throws Failure BAD_USER_INPUT
 */
export function assertImageParametersAgree(given: EnhancementParameters, provider: ProviderName): void {
  assertTargetAgrees(given, provider);
  assertFaithful(given, provider);
  assertInventsNothing(given);
  const field = given.mode === 'DOCUMENT' ? 'mode' : optionOfEngine(given);
  if (provider !== 'hosted' || field === undefined) return;
  const detail = `The hosted service does not support ${field === 'mode' ? 'mode DOCUMENT' : field}. Choose the provider LOCAL.`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
}

/** Returns an option of PDFs that only the engine has. */
function optionOfEngine({ pages, split, text }: EnhancementParameters): string | undefined {
  if (pages !== undefined) return orderName('pages');
  if (split === true) return orderName('split');
  return text === true ? orderName('text') : undefined;
}

/** Rejects `fidelity: STRICT` without an enlargement, and with another change: the reduced result would not be the original. */
function assertFaithful(given: EnhancementParameters, provider: ProviderName): void {
  if (given.fidelity !== 'STRICT') return;
  if (provider === 'hosted') {
    const detail = 'The hosted service does not support fidelity STRICT. Choose the provider LOCAL.';
    throw new Failure('BAD_USER_INPUT', { field: 'fidelity', detail });
  }
  const { upscalingFactor, ...parameters } = resolveImageParameters(given);
  if (upscalingFactor === 'X1') {
    const detail = 'fidelity STRICT applies to enlargements. Set upscalingFactor to X2 or X4.';
    throw new Failure('BAD_USER_INPUT', { field: 'upscalingFactor', detail });
  }
  const field = CHANGES_BESIDE_SIZE.find((name) => parameters[name] !== IMAGE_PARAMETERS[name].neutral);
  if (field === undefined) return;
  const detail = `fidelity STRICT changes the size only. Remove ${field}, or set it to ${IMAGE_PARAMETERS[field].neutral}.`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
}

/** Rejects the tier that may invent detail where the result must be true to its original, or has letters. */
function assertInventsNothing({ engineTier, fidelity, mode }: EnhancementParameters): void {
  const refusing = fidelity === 'STRICT' ? 'fidelity STRICT' : mode === 'DOCUMENT' ? 'mode DOCUMENT' : undefined;
  if (engineTier !== 'DETAIL' || refusing === undefined) return;
  const detail = `engineTier DETAIL may invent detail, which ${refusing} does not allow. Choose AUTO, FINE, FAST or PLAIN.`;
  throw new Failure('BAD_USER_INPUT', { field: 'engineTier', detail });
}

/**
 * Rejects parameters of the other kind of file (docs/contract.md: an error that names the field).
 * @throws Failure BAD_USER_INPUT
 */
export function assertParametersFit(kind: MediaKind, given: EnhancementParameters): void {
  const field = kind === 'pdf' ? fieldOfImagesAlone(given) : fieldOfPdfsAlone(given);
  if (field !== undefined) {
    const [applies, file] = kind === 'pdf' ? ['images', 'a PDF'] : ['PDFs', 'an image'];
    throw new Failure('BAD_USER_INPUT', {
      field,
      detail: `${describeField(field, given)} applies to ${applies} only, but the file is ${file}.`,
    });
  }
  assertCleans(given);
}

/**
 * Rejects parameters that no kind of file allows together, for a file whose kind is still unknown.
 * @throws Failure BAD_USER_INPUT
 */
export function assertParametersAgree(given: EnhancementParameters): void {
  const field = fieldOfImagesAlone(given);
  const other = fieldOfPdfsAlone(given);
  if (field !== undefined && other !== undefined) {
    throw new Failure('BAD_USER_INPUT', {
      field,
      detail: `${describeField(field, given)} applies to images only, and field ${other} to PDFs only.`,
    });
  }
  assertCleans(given);
}

/**
 * Rejects parameters of tone and colour beside mode DOCUMENT of a PDF, which cleans pages in their place, and those that
 * need this mode without it.
 */
function assertCleans(given: EnhancementParameters): void {
  if (given.split === true && given.mode !== 'DOCUMENT') {
    const detail = `Pages are split in mode DOCUMENT only. Set mode to DOCUMENT, or remove ${orderName('split')}.`;
    throw new Failure('BAD_USER_INPUT', { field: orderName('split'), detail });
  }
  if (given.mode !== 'DOCUMENT' || (given.customColorConfig ?? given.colorKinds) === undefined) return;
  const field = given.customColorConfig === undefined ? orderName('colorKinds') : 'customColorConfig';
  const detail = `Mode DOCUMENT cleans pages and changes no other tone or colour. Remove ${field}, or remove mode.`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
}

/**
 * Rejects parameters that exceed the account's plan.
 * @throws Failure TARGET_RESOLUTION_EXCEEDS_PLAN
 */
export function assertWithinPlan(plan: GivenPlan, { targetResolution: dpi }: EnhancementParameters): void {
  const { name, maxResolution } = toPlanTerms(plan);
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

const fieldOfPdfsAlone = (given: EnhancementParameters): string | undefined =>
  Object.keys(given)
    .filter((name) => Object.hasOwn(PDF_PARAMETERS, name))
    .map(orderName)[0];

/** Returns the first parameter whose value a PDF does not accept. */
const fieldOfImagesAlone = (given: EnhancementParameters): string | undefined =>
  Object.entries(given).find(
    ([name, value]) => Object.hasOwn(IMAGE_PARAMETERS, name) && !valuesForPdfs(name).includes(value),
  )?.[0];

function valuesForPdfs(name: string): readonly unknown[] {
  const field = IMAGE_PARAMETERS[name as keyof typeof IMAGE_PARAMETERS] as ParameterField | undefined;
  return (field?.type === 'choice' && field.forPdfs) || [];
}

/** Names a field, with its value where only some values are refused. */
const describeField = (name: string, given: EnhancementParameters): string =>
  valuesForPdfs(name).length === 0
    ? `Field ${name}`
    : `Value ${String(given[name as keyof EnhancementParameters])} of field ${name}`;

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

const refuse = (field: string, detail: string): never => {
  throw new Failure('BAD_USER_INPUT', { field, detail });
};

/**
 * Rejects a target beside another size, a crop without both sides, and a target for the hosted service.
 * @throws Failure BAD_USER_INPUT
 */
function assertTargetAgrees(given: GivenSize, provider: ProviderName): void {
  const field = targetField(given);
  if (given.fit === 'COVER' && !hasBothSides(given))
    refuse('fit', 'fit COVER cuts the image to an exact size. Set both targetWidth and targetHeight, or both in cm.');
  if (given.targetDpi !== undefined && !isInCentimetres(given))
    refuse('targetDpi', 'targetDpi applies to a size in centimetres. Set targetWidthCm or targetHeightCm.');
  if (field === undefined) {
    if (given.fit !== undefined) refuse('fit', 'fit applies to a target size. Set targetWidth or targetHeight.');
    return;
  }
  if (provider === 'hosted')
    refuse(field, `The hosted service does not support ${field}. Choose the provider LOCAL, or use upscalingFactor.`);
  if (given.fidelity === 'STRICT')
    refuse(field, `fidelity STRICT enlarges by whole factors. Replace ${field} by upscalingFactor X2 or X4.`);
  if (given.upscalingFactor !== undefined && given.upscalingFactor !== 'X1')
    refuse(field, `${field} and upscalingFactor both set the size. Remove one of them.`);
  assertPrintSize(given);
}

/** Rejects pixels beside centimetres, and centimetres whose pixels are out of bounds. */
function assertPrintSize(given: GivenSize): void {
  const inPixels = Object.values(SIDES).find(({ pixels }) => given[pixels] !== undefined)?.pixels;
  const { min, max } = TARGET_BOUNDS;
  for (const side of Object.values(SIDES).filter(({ cm }) => given[cm] !== undefined)) {
    if (inPixels !== undefined)
      refuse(side.cm, `${inPixels} is in pixels and ${side.cm} in centimetres. Use one unit for both sides.`);
    const pixels = targetSide(given, side)!;
    if (pixels >= min && pixels <= max) continue;
    const size = `${side.cm} is ${counted(pixels, 'pixel')} at ${printResolution(given)} DPI`;
    refuse(side.cm, `${size}. Choose a size and a targetDpi that give ${min} to ${max} pixels.`);
  }
}
