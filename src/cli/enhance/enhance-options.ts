import { UsageError } from '../command-error.ts';
import type { ImageChoices } from '../../domain/enhancement/image-kinds.ts';
import type {
  ChoiceField,
  ChoicesField,
  Flag,
  NumberField,
  ParameterField,
} from '../../domain/enhancement/parameter-field.ts';
import { HIGHEST_RESOLUTION, IMAGE_PARAMETERS, PDF_PARAMETERS } from '../../domain/enhancement/parameter-table.ts';
import { enhancementParametersSchema } from '../../domain/enhancement/parameters-schema.ts';
import type { EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import type { MediaKind } from '../../domain/upload/media.ts';

const TABLES: Record<MediaKind, Record<string, ParameterField>> = { image: IMAGE_PARAMETERS, pdf: PDF_PARAMETERS };

type Table = typeof IMAGE_PARAMETERS & typeof PDF_PARAMETERS;
type FlagName = { [Name in keyof Table]: Table[Name] extends { flag: Flag<infer Own> } ? Own : never }[keyof Table];

/** The typed parameters; values are texts from the command line. */
export type ParameterOptions = Partial<Record<FlagName, string | boolean>>;

export interface EnhanceOptions extends ParameterOptions {
  files: string[];
  /** Folder of the results */
  out: string;
  force?: boolean;
  /** Local path of a file with the password of the PDFs; `-` is stdin */
  passwordFile?: string;
  /** One JSON document on standard output instead of the table */
  json?: boolean;
}

export type ParametersByKind = Record<MediaKind, { parameters: EnhancementParameters; flags: string[] }>;

export function parameterFlags(): { flags: string; help: string }[] {
  return (['image', 'pdf'] as const).flatMap((kind) =>
    flaggedFields(kind).map(([, field, { argument, help }]) => ({
      flags: argument === undefined ? toFlag(field) : `${toFlag(field)} ${argument}`,
      help: `${kind === 'pdf' ? 'PDFs' : 'images'}: ${[help, valuesToChoose(field)].filter(Boolean).join(': ')}`,
    })),
  );
}

function valuesToChoose(field: ParameterField): string | undefined {
  if ((field.type !== 'choice' && field.type !== 'choices') || field.flag?.argument === undefined) return undefined;
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(field.values));
}

/** @throws UsageError that names the flag */
export function readParameters(options: ParameterOptions): ParametersByKind {
  const read = (kind: MediaKind): ParametersByKind[MediaKind] => {
    const given = flaggedFields(kind).flatMap(([parameter, field, { name }]) => {
      const typed = options[name as FlagName];
      return typed === undefined || typed === false ? [] : [{ parameter, field, typed }];
    });
    const values = given.map(({ parameter, field, typed }) => [parameter, valueOf(parameter, field, typed)]);
    return { parameters: Object.fromEntries(values), flags: given.map(({ field }) => toFlag(field)) };
  };
  return { image: read('image'), pdf: read('pdf') };
}

function flaggedFields(kind: MediaKind): (readonly [parameter: string, field: ParameterField, flag: Flag])[] {
  return Object.entries(TABLES[kind]).flatMap(([parameter, field]) =>
    field.flag === undefined ? [] : [[parameter, field, field.flag] as const],
  );
}

/** `allowBreakingSignatures` → `--allow-breaking-signatures` */
function toFlag({ flag }: ParameterField): string {
  return `--${flag!.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function valueOf(parameter: string, field: ParameterField, typed: unknown): unknown {
  if (typeof typed !== 'string') return field.flag?.sets ?? true;
  if (field.type === 'choice') return parseChoice(field, typed);
  if (field.type === 'choices') return typed.split(',').map((each) => parseChoice(field, each.trim()));
  if (field.type === 'images') return parseImages(field, typed);
  return field.type === 'number' ? number(parameter, field, typed) : typed;
}

function parseChoice(field: ChoiceField | ChoicesField, text: string): string {
  const allowed = Object.keys(field.values);
  const found = allowed.find((value) => value === text.toUpperCase());
  if (found === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${toFlag(field)} but received ${text}.`);
  return found;
}

/** `12=off,14=on` → `{"12": {"color": false}, "14": {"color": true}}` */
function parseImages(field: ParameterField, text: string): ImageChoices {
  const choices = text.split(',').map((each) => {
    const [, number, choice] = /^\s*([1-9]\d{0,6})=(on|off)\s*$/i.exec(each) ?? [];
    if (number === undefined)
      throw new UsageError(`Expected a list such as 12=off,14=on for ${toFlag(field)} but received ${text}.`);
    return [number, { color: choice!.toLowerCase() === 'on' }] as const;
  });
  return Object.fromEntries(choices);
}

/** The bounds are those of the service itself. */
function number(parameter: string, field: NumberField, text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!enhancementParametersSchema.safeParse({ [parameter]: value }).success) {
    const kind = field.integer === true ? 'a whole number' : 'a number';
    const bounds = `${kind} from ${field.min} to ${field.max ?? HIGHEST_RESOLUTION}`;
    throw new UsageError(`Expected ${bounds} for ${toFlag(field)} but received ${text}.`);
  }
  return value;
}
