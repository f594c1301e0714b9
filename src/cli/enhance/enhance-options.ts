import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { DestinationOrder, EnhancementOrder } from '@burnish/client';
import {
  IMAGE_PARAMETERS,
  MAX_PAGE_CHOICES,
  PDF_PARAMETERS,
  type ChoiceField,
  type ChoicesField,
  type Flag,
  type ImageChoices,
  type MediaKind,
  type NumberField,
  type PageChoice,
  type PageChoices,
  type ParameterField,
  HIGHEST_RESOLUTION,
  representParameters,
} from '@burnish/contract';
import { enhancementParametersSchema } from '@burnish/contract/schemas';
import { UsageError } from '../command-error.ts';

const TABLES: Record<MediaKind, Record<string, ParameterField>> = { image: IMAGE_PARAMETERS, pdf: PDF_PARAMETERS };

type Table = typeof IMAGE_PARAMETERS & typeof PDF_PARAMETERS;
type FlagName = {
  [Name in keyof Table]:
    | (Table[Name] extends { flag: Flag<infer Own> } ? Own : never)
    | (Table[Name] extends { shortcut: Flag<infer Short> } ? Short : never);
}[keyof Table];

/** The typed parameters; values are texts from the command line. */
export type ParameterOptions = Partial<Record<FlagName, string | boolean>> & {
  /** Look of the account, such as `warm` or `warm@3` */
  look?: string;
};

export interface OrderOptions extends ParameterOptions {
  /** Saved preset, such as `web` or `web@3` */
  preset?: string;
  /** Presigned URL, bucket and key with a slash between them, or `@` and the path of a file with either */
  destination?: string;
}

export interface EnhanceOptions extends OrderOptions {
  files: string[];
  /** Folder of the results */
  out: string;
  force?: boolean;
  /** Leaves out files to which none of the flags applies, instead of refusing them */
  skipUnfit?: boolean;
  /** Local path of a file with the password of the PDFs; `-` is stdin */
  passwordFile?: string;
  /** One JSON document on standard output instead of the table */
  json?: boolean;
}

export type ParametersByKind = Record<MediaKind, { parameters: EnhancementOrder; flags: string[] }>;

/** Adds a flag for each parameter of images and PDFs. */
export function addParameterOptions(command: Command): Command {
  for (const { flags, help } of parameterFlags()) command.option(flags, help);
  return command.option('--look <name>', 'images: look of the account, such as warm or warm@3, in place of --mode');
}

/** Adds the parameters of an order, its preset and its destination. */
export function addOrderOptions(command: Command): Command {
  return addParameterOptions(command)
    .option('--preset <name>', 'images or PDFs: saved preset, such as web or web@3; other flags take precedence')
    .option(
      '--destination <place>',
      'images or PDFs: presigned PUT URL of one result, a registered bucket with a key, such as results/{uploadId}/{name}, or @ with the path of a file that contains it',
    );
}

function parameterFlags(): { flags: string; help: string }[] {
  return (['image', 'pdf'] as const).flatMap((kind) =>
    Object.entries(TABLES[kind]).flatMap(([, field]) =>
      listFlags(field).map((flag) => ({
        flags: flag.argument === undefined ? toFlag(flag) : `${toFlag(flag)} ${flag.argument}`,
        help: `${describeFiles(kind, field, flag)}: ${[flag.help, valuesToChoose(field, flag)].filter(Boolean).join(': ')}`,
      })),
    ),
  );
}

function valuesToChoose(field: ParameterField, { argument }: Flag): string | undefined {
  if ((field.type !== 'choice' && field.type !== 'choices') || argument === undefined) return undefined;
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(Object.keys(field.values));
}

/** @throws UsageError that names the flag */
export function readParameters({ preset, destination, look, ...options }: OrderOptions): ParametersByKind {
  const named = {
    ...(preset === undefined ? {} : { preset }),
    ...(destination === undefined ? {} : { destination: readDestination(destination) }),
  };
  const read = (kind: MediaKind): ParametersByKind[MediaKind] => {
    const given = flaggedFields(kind).flatMap(([parameter, field, flag]) => {
      const typed = options[flag.name as FlagName];
      return typed === undefined || typed === false ? [] : [{ parameter, field, flag, typed }];
    });
    for (const [k, { parameter, flag }] of given.entries()) {
      const other = given.slice(0, k).find((earlier) => earlier.parameter === parameter);
      if (other !== undefined)
        throw new UsageError(`${toFlag(other.flag)} and ${toFlag(flag)} set the same parameter. Remove one of them.`);
    }
    const values = given.map(({ parameter, field, flag, typed }) => [
      parameter,
      parseTyped(parameter, field, flag, typed),
    ]);
    const modeFlag = given.find(({ parameter }) => parameter === 'mode')?.flag;
    if (look !== undefined && modeFlag !== undefined)
      throw new UsageError(`--look and ${toFlag(modeFlag)} set the same parameter. Remove one of them.`);
    const ofLook = look === undefined || kind === 'pdf' ? {} : { mode: { look } };
    return {
      parameters: { ...named, ...representParameters(Object.fromEntries(values)), ...ofLook },
      flags: [...given.map(({ flag }) => toFlag(flag)), ...Object.keys(ofLook).map(() => '--look')],
    };
  };
  return { image: read('image'), pdf: read('pdf') };
}

/** For the parameters of several files. @throws UsageError for a presigned URL, which each result would replace */
export function assertManyResults({ image }: ParametersByKind): void {
  const { destination } = image.parameters;
  if (destination !== undefined && 'url' in destination)
    throw new UsageError('A presigned URL takes one result. Set a bucket with a key for --destination.');
}

/** @throws UsageError for a place that is neither a URL nor a bucket with a key */
function readDestination(given: string): DestinationOrder {
  const place = given.startsWith('@') ? readPlace(given.slice(1)) : given;
  if (/^https?:/i.test(place)) return { url: place };
  const [, bucket, key] = /^([a-z][a-z0-9-]*)\/(.+)$/.exec(place) ?? [];
  if (bucket === undefined || key === undefined)
    throw new UsageError('Expected a presigned URL, or a bucket with a key such as results/{name}, for --destination.');
  return { bucket, key };
}

/** A presigned URL is a secret. A command line appears in lists of processes and in histories of shells, a file does not. */
function readPlace(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    throw new UsageError(`The file ${path} of --destination cannot be read (${reason}).`);
  }
  if (text.includes('\n')) throw new UsageError(`Expected one line in the file ${path} of --destination.`);
  return text;
}

/** The flags that apply to a kind of file. A PDF accepts the switches for some values of images as well. */
function flaggedFields(kind: MediaKind): (readonly [parameter: string, field: ParameterField, flag: Flag])[] {
  const tables = kind === 'pdf' ? [TABLES.image, TABLES.pdf] : [TABLES.image];
  return tables.flatMap((table) =>
    Object.entries(table).flatMap(([parameter, field]) =>
      listFlags(field)
        .filter((flag) => table === TABLES[kind] || isForPdfs(field, flag))
        .map((flag) => [parameter, field, flag] as const),
    ),
  );
}

const listFlags = ({ flag, shortcut }: ParameterField): Flag[] => [flag, shortcut].filter((each) => each !== undefined);

const isForPdfs = (field: ParameterField, { sets }: Flag): boolean =>
  field.type === 'choice'
    ? field.forPdfs !== undefined && field.forPdfs.some((value) => value === sets)
    : field.type === 'number' && field.forPdfs === true;

function describeFiles(kind: MediaKind, field: ParameterField, flag: Flag): string {
  if (isForPdfs(field, flag)) return 'images and PDFs';
  return kind === 'pdf' ? 'PDFs' : 'images';
}

/** `allowBreakingSignatures` → `--allow-breaking-signatures` */
function toFlag({ name }: Flag): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function parseTyped(parameter: string, field: ParameterField, flag: Flag, typed: unknown): unknown {
  if (typeof typed !== 'string') return flag.sets ?? true;
  if (field.type === 'choice') return parseChoice(field, flag, typed);
  if (field.type === 'choices') return typed.split(',').map((each) => parseChoice(field, flag, each.trim()));
  if (field.type === 'images') return parseImages(flag, typed);
  if (field.type === 'pages') return parsePages(flag, typed);
  return field.type === 'number' ? number(parameter, field, flag, typed) : typed;
}

function parseChoice(field: ChoiceField | ChoicesField, flag: Flag, text: string): string {
  const allowed = Object.keys(field.values);
  const found = allowed.find((value) => value === text.toUpperCase());
  if (found === undefined)
    throw new UsageError(`Expected one of ${allowed.join(', ')} for ${toFlag(flag)} but received ${text}.`);
  return found;
}

/** `12=off,14=on` → `{"12": {"color": false}, "14": {"color": true}}` */
function parseImages(flag: Flag, text: string): ImageChoices {
  const choices = text.split(',').map((each) => {
    const [, number, choice] = /^\s*([1-9]\d{0,6})=(on|off)\s*$/i.exec(each) ?? [];
    if (number === undefined)
      throw new UsageError(`Expected a list such as 12=off,14=on for ${toFlag(flag)} but received ${text}.`);
    return [number, { color: choice!.toLowerCase() === 'on' }] as const;
  });
  return Object.fromEntries(choices);
}

const PAGE_WORDS: Record<string, PageChoice> = { keep: 'ORIGINAL', drop: 'DROP' };

/** `7=keep,9=drop` → `{"7": "ORIGINAL", "9": "DROP"}` */
function parsePages(flag: Flag, text: string): PageChoices {
  const pages = text.split(',').map((each) => each.trim().toLowerCase().split('='));
  const choices = Object.fromEntries(pages.map(([page = '', word = '']) => [page, PAGE_WORDS[word]!]));
  if (!enhancementParametersSchema.safeParse({ pages: choices }).success)
    throw new UsageError(
      `Expected at most ${MAX_PAGE_CHOICES} pages such as 7=keep,9=drop for ${toFlag(flag)} but received ${text}.`,
    );
  return choices;
}

/** The bounds are those of the service itself. */
function number(parameter: string, field: NumberField, flag: Flag, text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!enhancementParametersSchema.safeParse({ [parameter]: value }).success) {
    const kind = field.integer === true ? 'a whole number' : 'a number';
    const bounds = `${kind} from ${field.min} to ${field.max ?? HIGHEST_RESOLUTION}`;
    throw new UsageError(`Expected ${bounds} for ${toFlag(flag)} but received ${text}.`);
  }
  return value;
}
