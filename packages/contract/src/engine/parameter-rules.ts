import { counted } from './counted.ts';
import { EngineError } from './engine-error.ts';
import type { MediaKind } from './media.ts';
import type { ParameterField } from './parameter-field.ts';
import { IMAGE_PARAMETERS, PDF_PARAMETERS } from './parameter-table.ts';
import { CHANGES_BESIDE_SIZE, resolveImageParameters, type EnhancementParameters } from './parameters.ts';
import {
  hasBothSides,
  isInCentimetres,
  printResolution,
  SIDES,
  targetField,
  targetSide,
  type SizeParameters,
} from './target-size.ts';
import { TARGET_BOUNDS } from './target-parameters.ts';

/* Rules between parameters. Each throws an EngineError BAD_USER_INPUT with the field. */

/** Returns the name by which a caller knows a parameter: orders of the service have some in an object. */
export type NameOf = (name: string) => string;

const asItIs: NameOf = (name) => name;

function refuse(field: string, detail: string): never {
  throw new EngineError('BAD_USER_INPUT', { field, detail });
}

/** Rejects contradictions between parameters of an image. */
export function assertImageParametersAgree(given: EnhancementParameters): void {
  assertTargetAgrees(given);
  assertFaithful(given);
  assertInventsNothing(given);
}

/** Rejects parameters of the other kind of file, and contradictions between those of a PDF. */
export function assertParametersFit(kind: MediaKind, given: EnhancementParameters, nameOf: NameOf = asItIs): void {
  const name = kind === 'pdf' ? parameterOfImagesAlone(given) : parameterOfPdfsAlone(given);
  if (name !== undefined) {
    const [applies, file] = kind === 'pdf' ? ['images', 'a PDF'] : ['PDFs', 'an image'];
    const field = nameOf(name);
    refuse(
      field,
      `${describeField(field, name, given)} applies to ${applies} only, but the file is ${file}. Remove it.`,
    );
  }
  assertCleans(given, nameOf);
}

/** Rejects parameters that no kind of file allows together, for a file whose kind is still unknown. */
export function assertParametersAgree(given: EnhancementParameters, nameOf: NameOf = asItIs): void {
  const [name, other] = [parameterOfImagesAlone(given), parameterOfPdfsAlone(given)];
  if (name !== undefined && other !== undefined) {
    const field = describeField(nameOf(name), name, given);
    refuse(
      nameOf(name),
      `${field} applies to images only, and field ${nameOf(other)} to PDFs only. Remove one of both.`,
    );
  }
  assertCleans(given, nameOf);
}

/**
 * Rejects parameters of tone and colour beside mode DOCUMENT of a PDF, which cleans pages instead, and those that
 * need this mode without it.
 */
function assertCleans(given: EnhancementParameters, nameOf: NameOf): void {
  const cleans = given.mode === 'DOCUMENT';
  if (given.split === true && !cleans) {
    const field = nameOf('split');
    refuse(field, `Pages are split in mode DOCUMENT only. Set mode to DOCUMENT, or remove ${field}.`);
  }
  if (!cleans || (given.customColorConfig ?? given.colorKinds) === undefined) return;
  const field = nameOf(given.customColorConfig === undefined ? 'colorKinds' : 'customColorConfig');
  refuse(field, `Mode DOCUMENT cleans pages and changes no other tone or colour. Remove ${field}, or remove mode.`);
}

/** Rejects `fidelity: STRICT` without an enlargement, and with another change: the reduced result would not be the original. */
function assertFaithful(given: EnhancementParameters): void {
  if (given.fidelity !== 'STRICT') return;
  const { upscalingFactor, ...parameters } = resolveImageParameters(given);
  if (upscalingFactor === 'X1')
    refuse('upscalingFactor', 'fidelity STRICT applies to enlargements. Set upscalingFactor to X2 or X4.');
  const field = CHANGES_BESIDE_SIZE.find((name) => parameters[name] !== IMAGE_PARAMETERS[name].neutral);
  if (field === undefined) return;
  const neutral = IMAGE_PARAMETERS[field].neutral;
  refuse(field, `fidelity STRICT changes the size only. Remove ${field}, or set it to ${neutral}.`);
}

/** Rejects the tier that may invent detail where the result must be true to its original, or has letters. */
function assertInventsNothing({ engineTier, fidelity, mode }: EnhancementParameters): void {
  const refusing = fidelity === 'STRICT' ? 'fidelity STRICT' : mode === 'DOCUMENT' ? 'mode DOCUMENT' : undefined;
  if (engineTier !== 'DETAIL' || refusing === undefined) return;
  const reason = `engineTier DETAIL may invent detail, which ${refusing} does not allow.`;
  refuse('engineTier', `${reason} Choose AUTO, FINE, FAST or PLAIN.`);
}

/** Rejects a target beside another size, and a crop without both sides. */
function assertTargetAgrees(given: SizeParameters): void {
  const field = targetField(given);
  if (given.fit === 'COVER' && !hasBothSides(given))
    refuse('fit', 'fit COVER cuts the image to an exact size. Set both targetWidth and targetHeight, or both in cm.');
  if (given.targetDpi !== undefined && !isInCentimetres(given))
    refuse('targetDpi', 'targetDpi applies to a size in centimetres. Set targetWidthCm or targetHeightCm.');
  if (field === undefined) {
    if (given.fit !== undefined) refuse('fit', 'fit applies to a target size. Set targetWidth or targetHeight.');
    return;
  }
  if (given.fidelity === 'STRICT')
    refuse(field, `fidelity STRICT enlarges by whole factors. Replace ${field} by upscalingFactor X2 or X4.`);
  if (given.upscalingFactor !== undefined && given.upscalingFactor !== 'X1')
    refuse(field, `${field} and upscalingFactor both set the size. Remove one of them.`);
  assertPrintSize(given);
}

/** Rejects pixels beside centimetres, and centimetres whose pixels are out of bounds. */
function assertPrintSize(given: SizeParameters): void {
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

const parameterOfPdfsAlone = (given: EnhancementParameters): string | undefined =>
  namesGiven(given).find((name) => Object.hasOwn(PDF_PARAMETERS, name));

/** Returns the first parameter whose value a PDF does not accept. */
const parameterOfImagesAlone = (given: EnhancementParameters): string | undefined =>
  namesGiven(given).find((name) => Object.hasOwn(IMAGE_PARAMETERS, name) && !isForPdfs(name, given[name]));

const namesGiven = (given: EnhancementParameters): (keyof EnhancementParameters)[] =>
  (Object.keys(given) as (keyof EnhancementParameters)[]).filter((name) => given[name] !== undefined);

function isForPdfs(name: string, value: unknown): boolean {
  const field = IMAGE_PARAMETERS[name as keyof typeof IMAGE_PARAMETERS] as ParameterField;
  return (field.type === 'number' && field.forPdfs === true) || valuesForPdfs(name).includes(value);
}

function valuesForPdfs(name: string): readonly unknown[] {
  const field = IMAGE_PARAMETERS[name as keyof typeof IMAGE_PARAMETERS] as ParameterField | undefined;
  return (field?.type === 'choice' && field.forPdfs) || [];
}

/** Names a field, with its value where only some values are refused. */
const describeField = (field: string, name: string, given: EnhancementParameters): string =>
  valuesForPdfs(name).length === 0
    ? `Field ${field}`
    : `Value ${valueInWords(given[name as keyof EnhancementParameters])} of field ${field}`;

const valueInWords = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
