import {
  ACCOUNT_TIERS,
  toPlanTerms,
  type AccountLimits,
  type AccountTier,
  type GivenPlan,
} from '../accounts/account.ts';
import { Failure } from '../failures.ts';
import type { MediaKind } from '../upload/media.ts';
import { keptPages } from './page-choices.ts';
import type { ParameterField } from './parameter-field.ts';
import { orderName } from './pdf-options.ts';
import {
  COLOR_ADJUSTMENTS,
  IMAGE_PARAMETERS,
  PDF_PARAMETERS,
  type ColorConfig,
  type ValueOf,
  PRICES,
  STEP_FEATURES,
  type StepName,
} from './parameter-table.ts';
import type { PdfAnalysis, ProviderName } from '../upload/upload.ts';
import { assertTargetAgrees, enlarges, type Size } from './target-size.ts';

/* Keep Zod out of this file: workflows import it, and their sandbox evaluates its modules for each workflow. */

type ImageTable = typeof IMAGE_PARAMETERS;
type PdfTable = typeof PDF_PARAMETERS;
type Defaulted<Table> = { [Name in keyof Table]: Table[Name] extends { default: unknown } ? Name : never }[keyof Table];

export type EnhancementParameters = {
  -readonly [Name in keyof (ImageTable & PdfTable)]?: ValueOf<(ImageTable & PdfTable)[Name]> | undefined;
};

/** No target resolution, DPI: each image keeps its size. */
export const NO_TARGET = 0;

/** Parameters of an image with all defaults. The engine chooses the absent ones, based on the source. */
export type ImageParameters = {
  -readonly [Name in Defaulted<ImageTable>]: ValueOf<ImageTable[Name]>;
} & { -readonly [Name in Exclude<keyof ImageTable, Defaulted<ImageTable>>]?: ValueOf<ImageTable[Name]> };

/** Parameters of a PDF with all defaults. The engine chooses the absent ones. */
export type PdfParameters = {
  -readonly [Name in Defaulted<PdfTable>]: ValueOf<PdfTable[Name]>;
} & {
  -readonly [Name in Exclude<keyof PdfTable, Defaulted<PdfTable> | 'customColorConfig'>]?: ValueOf<PdfTable[Name]>;
} & { customColorConfig: ColorConfig; mode?: 'DOCUMENT' };

export function resolveImageParameters(given: EnhancementParameters): ImageParameters {
  const mode = given.mode ?? (given.fidelity === 'STRICT' ? 'OFF' : undefined);
  return withDefaults(IMAGE_PARAMETERS, { ...given, mode }) as unknown as ImageParameters;
}

/** Parameters that change a picture besides its size, which `fidelity: STRICT` refuses. */
export const CHANGES_BESIDE_SIZE = [
  'mode',
  'noiseReductionProfilingMode',
  'artifactsDetectionRemoval',
  'enhanceFaceDetails',
  'sharpening',
] as const satisfies (keyof ImageTable)[];

/**
 * Rejects contradictions between parameters of an image, and parameters that its provider lacks.
 * @throws Failure BAD_USER_INPUT
 */
export function assertImageParametersAgree(given: EnhancementParameters, provider: ProviderName): void {
  assertTargetAgrees(given, provider);
  assertFaithful(given, provider);
  const field = given.mode === 'DOCUMENT' ? 'mode' : given.pages === undefined ? undefined : orderName('pages');
  if (provider !== 'hosted' || field === undefined) return;
  const detail = `The hosted service does not support ${field === 'mode' ? 'mode DOCUMENT' : field}. Choose the provider LOCAL.`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
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

/**
 * Fills in all defaults of a PDF's parameters. Cleaned pages keep their size, and the file does not grow.
 * @param maxResolution the cap of the account's plan in DPI; the default target is 300 or the cap if lower
 */
export function resolvePdfParameters(given: EnhancementParameters, maxResolution: number): PdfParameters {
  const { default: usual } = PDF_PARAMETERS.targetResolution;
  const cleans = given.mode === 'DOCUMENT';
  const { targetResolution = cleans ? NO_TARGET : Math.min(usual, maxResolution), compact = cleans } = given;
  const keepsBytes = cleans && compact && targetResolution === NO_TARGET;
  const values = withDefaults(PDF_PARAMETERS, {
    ...given,
    targetResolution,
    compact,
    pages: keptPages(given.pages).length > 0 ? given.pages : undefined,
    maxGrowth: given.maxGrowth ?? (keepsBytes ? 1 : undefined),
    customColorConfig: withDefaults(COLOR_ADJUSTMENTS, given.customColorConfig ?? {}),
  });
  return { ...values, ...(cleans && { mode: 'DOCUMENT' }) } as unknown as PdfParameters;
}

/** Returns the fields of a table in its order, with given values or defaults. */
function withDefaults(table: Record<string, ParameterField>, given: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(table).map(([name, field]) => [
    name,
    given[name] ?? ('default' in field ? field.default : undefined),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
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
  assertCleansAlone(given);
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
  assertCleansAlone(given);
}

/** Rejects parameters of tone and colour beside mode DOCUMENT of a PDF, which cleans pages in their place. */
function assertCleansAlone(given: EnhancementParameters): void {
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

/** Resolves `AUTO` for an account; undefined when the engine may choose the best available tier. */
export function resolveAutoTier({ allowedTiers }: Pick<AccountLimits, 'allowedTiers'>): AccountTier | undefined {
  if (allowedTiers === null || allowedTiers.includes('FINE')) return undefined;
  return ACCOUNT_TIERS.find((tier) => allowedTiers.includes(tier));
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
  const field = IMAGE_PARAMETERS[name as keyof ImageTable] as ParameterField | undefined;
  return (field?.type === 'choice' && field.forPdfs) || [];
}

/** Names a field, with its value where only some values are refused. */
const describeField = (name: string, given: EnhancementParameters): string =>
  valuesForPdfs(name).length === 0
    ? `Field ${name}`
    : `Value ${String(given[name as keyof EnhancementParameters])} of field ${name}`;

/**
 * Price of the enhancement of one image when each requested feature changes it, in credits.
 * @param image its size; while it is unknown, a target size counts as an enlargement
 */
export function priceOfImage(parameters: ImageParameters, image?: Size): number {
  const isEnlarged = enlarges(parameters, image) !== false;
  const charged = Object.entries<ParameterField>(IMAGE_PARAMETERS).map(([name, { price, neutral }]) => {
    const isActive = price === 'upscaling' ? isEnlarged : parameters[name as keyof ImageParameters] !== neutral;
    return price === undefined || !isActive ? 0 : PRICES[price];
  });
  return Math.max(...charged);
}

/** Price of the enhancement of one image by the steps that changed it, in credits. */
export function priceOfSteps(steps: readonly StepName[]): number {
  const charged = steps.map((step) => {
    const feature = STEP_FEATURES[step];
    return feature === null ? 0 : PRICES[feature];
  });
  return Math.max(0, ...charged);
}

/**
 * Lowest and highest price of the enhancement of one image, in credits: if nothing but its size needs a change, and if each
 * requested feature changes it. The hosted service does not report what it changed, so its price is certain.
 */
export function priceRangeOfImage(
  parameters: ImageParameters,
  provider: ProviderName,
  image?: Size,
): { minCredits: number; credits: number } {
  const credits = priceOfImage(parameters, image);
  if (provider === 'hosted') return { minCredits: credits, credits };
  return { minCredits: priceOfSteps(enlarges(parameters, image) === true ? ['upscale'] : []), credits };
}

/** Whether these parameters leave an image unchanged: each has its neutral value, and only tuning parameters may differ. */
export function leavesImageAsItIs(parameters: ImageParameters): boolean {
  return Object.entries<ParameterField>(IMAGE_PARAMETERS).every(
    ([name, { neutral }]) => neutral === undefined || (parameters[name as keyof ImageParameters] ?? null) === neutral,
  );
}

/** Number of images of a PDF that a request changes; `both` are excluded from the other two. */
export interface PdfWork {
  colorOnly: number;
  resizeOnly: number;
  both: number;
  /** Pictures whose mask alone is enlarged. `resizeOnly` includes those that are charged. */
  masksOnly?: number | undefined;
}

/** Pictures of a PDF by the step that is expected to keep each within its share of the growth of the file. */
export interface ExpectedPictures {
  /** Pictures that need no step */
  full: number;
  /** Pictures of a lower JPEG quality or a smaller enlargement */
  reduced: number;
  /** Pictures that stay as they are, at no charge */
  unchanged: number;
}

/** Longer side of a mask, pixels, from which its enlargement alone is charged. */
export const CHARGED_MASK_SIDE = 128;

/** Price of the enhancement of a PDF in credits. An image with both changes costs the higher price. */
export function priceOfPdf(work: PdfWork): number {
  return work.colorOnly * PRICES.color + (work.resizeOnly + work.both) * Math.max(PRICES.upscaling, PRICES.color);
}

/** Price of a PDF in which no image needs a change of colour, in credits. */
export function lowestPriceOfPdf(work: PdfWork): number {
  return priceOfPdf({ ...work, colorOnly: 0 });
}

export function changesColor({ customColorConfig: c, mode }: PdfParameters): boolean {
  if (mode === 'DOCUMENT') return true;
  return Object.entries(COLOR_ADJUSTMENTS).some(([name, { neutral }]) => c[name as keyof ColorConfig] !== neutral);
}

/** Price of a PDF from its analysis alone, in credits, for images that cannot be counted again. */
export function priceOfAnalyzedPdf({ statistics: { credits } }: PdfAnalysis, parameters: PdfParameters): number {
  return changesColor(parameters) ? credits.colorAndResize : credits.resize;
}
