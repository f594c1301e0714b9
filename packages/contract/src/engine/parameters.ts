import { chosenPages } from './page-choices.ts';
import type { ParameterField } from './parameter-field.ts';
import {
  COLOR_ADJUSTMENTS,
  IMAGE_PARAMETERS,
  PDF_PARAMETERS,
  type ColorConfig,
  type ValueOf,
} from './parameter-table.ts';

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
} & { customColorConfig: ColorConfig; mode?: 'DOCUMENT'; maxBytes?: number };

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
 * Fills in all defaults of a PDF's parameters. Cleaned pages keep their size, and the file does not grow.
 * @param maxResolution cap of the caller in DPI, by default none; the default target is 300 or the cap if lower
 */
export function resolvePdfParameters(
  given: EnhancementParameters,
  maxResolution = Number.POSITIVE_INFINITY,
): PdfParameters {
  const { default: usual } = PDF_PARAMETERS.targetResolution;
  const cleans = given.mode === 'DOCUMENT';
  const { maxBytes } = given;
  const { targetResolution = cleans ? NO_TARGET : Math.min(usual, maxResolution) } = given;
  const { compact = cleans || maxBytes !== undefined } = given;
  const keepsBytes = cleans && compact && targetResolution === NO_TARGET;
  const values = withDefaults(PDF_PARAMETERS, {
    ...given,
    targetResolution,
    compact,
    pages: chosenPages(given.pages).length > 0 ? given.pages : undefined,
    maxGrowth: given.maxGrowth ?? (keepsBytes ? 1 : undefined),
    customColorConfig: withDefaults(COLOR_ADJUSTMENTS, given.customColorConfig ?? {}),
  });
  const shared = { ...(cleans && { mode: 'DOCUMENT' }), ...(maxBytes !== undefined && { maxBytes }) };
  return { ...values, ...shared } as unknown as PdfParameters;
}

/** Returns the fields of a table in its order, with given values or defaults. */
function withDefaults(table: Record<string, ParameterField>, given: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(table).map(([name, field]) => [
    name,
    given[name] ?? ('default' in field ? field.default : undefined),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
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

export function changesColor({ customColorConfig: c, mode }: PdfParameters): boolean {
  if (mode === 'DOCUMENT') return true;
  return Object.entries(COLOR_ADJUSTMENTS).some(([name, { neutral }]) => c[name as keyof ColorConfig] !== neutral);
}
