import { nearestName } from './nearest-name.ts';
import { ENTRIES, findField, oneOf, placeAt, writePath, type Path, type Place } from './place.ts';

/** What a check found in an input. One function describes it, for schemas of REST and for types of GraphQL. */
export interface Finding {
  /** The whole input */
  root: Place;
  /** Path of the field, with the name of an unknown one */
  path: Path;
  fault: 'unknown' | 'missing' | 'wrong';
  /** What was sent */
  value: unknown;
  /** What the field accepts, in the words of its check; otherwise, in those of its place */
  expected?: string | undefined;
  /** A sentence about unknown fields of this object */
  hint?: string;
}

/** A finding for a caller. */
export interface DescribedFinding {
  /** The fault, and then the remedy */
  detail: string;
  /** Path of the field, such as `pages[0].number`; absent for the whole input */
  field?: string;
  /** What the field accepts, where that is a list of values or names */
  allowed?: readonly string[];
}

/**
 * Describes a fault and its remedy: the field, its value unless it may be secret, what it allows, and the nearest name
 * or the right shape.
 * @param whole the subject of the sentence where the whole input is wrong
 */
export function describeFinding(finding: Finding, whole = 'The input'): DescribedFinding {
  const path = finding.path.map((part) => (typeof part === 'string' ? cut(part, MAX_NAME) : part));
  const field = printable(writePath(path));
  const found = finding.fault === 'unknown' ? describeUnknown(finding, field) : describeWrong(finding, field, whole);
  return { ...found, detail: printable(found.detail), ...(field !== '' && { field }) };
}

/** Longest name of a field, and longest value, that a sentence repeats, in characters. */
const MAX_NAME = 100;
const MAX_VALUE = 60;

function describeUnknown({ root, path, value, hint }: Finding, field: string): DescribedFinding {
  const name = String(path.at(-1));
  const around = path.slice(0, -1);
  const place = placeAt(root, around);
  const allowed = [...(place?.fields.keys() ?? [])].filter((each) => each !== ENTRIES);
  const near = nearestName(name, allowed);
  const elsewhere = near === undefined ? (shapeAround(value, allowed) ?? shapeElsewhere(root, name, value)) : undefined;
  const fault = `Unknown field ${nameInWords(field)}${near === undefined ? '.' : `: did you mean ${near}?`}`;
  const remedy =
    near !== undefined
      ? `Send it as ${near}.`
      : elsewhere !== undefined
        ? `Send it as ${elsewhere}.`
        : allowed.length === 0
          ? 'Remove it.'
          : `Remove it, or use one of ${oneOf(allowed)}.`;
  const own = near === undefined && elsewhere === undefined ? hint : undefined;
  return { detail: [fault, own, remedy].filter((each) => each !== undefined).join(' '), allowed };
}

/** The shape for an object around fields that stand here themselves; undefined for any other value. */
function shapeAround(value: unknown, allowed: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const name = Object.keys(value).find((each) => allowed.includes(each));
  return name === undefined ? undefined : `{${JSON.stringify(name)}:…}`;
}

/** The shape in which an input has a field of this name at another place; undefined where it has none. */
function shapeElsewhere(root: Place, name: string, value: unknown): string | undefined {
  const [found] = [name, nearestName(name, namesIn(root))]
    .flatMap((each) => (each === undefined ? [] : [findField(root, each)]))
    .filter((each) => each !== undefined);
  if (found === undefined) return undefined;
  const first = root.fields.get(found[0]!)!();
  const place = placeAt(
    root,
    found.map((part) => (part === ENTRIES ? 0 : part)),
  );
  const shown = value === undefined || place === undefined || place.isSecret ? '"…"' : inJson(value);
  const write = (parts: readonly string[]): string => {
    const [part, ...rest] = parts;
    if (part === undefined) return shown;
    return part === ENTRIES ? `[${write(rest)}]` : `{${JSON.stringify(part)}:${write(rest)}}`;
  };
  return first.isFromText === true ? `${found[0]!}=${write(found.slice(1))}` : write(found);
}

/** Names of an input at any depth that a caller may leave out. */
const namesIn = (root: Place, depth = 3): string[] =>
  depth === 0
    ? []
    : [...root.fields].flatMap(([name, at]) => [...(name === ENTRIES ? [] : [name]), ...namesIn(at(), depth - 1)]);

function describeWrong(
  { root, path, fault, value, expected }: Finding,
  field: string,
  whole: string,
): DescribedFinding {
  const place = placeAt(root, path);
  const subject = field === '' ? whole : `Field ${nameInWords(field)}`;
  const near =
    place?.values === undefined || typeof value === 'object' ? undefined : nearestName(String(value), place.values);
  const is = fault === 'missing' ? 'is missing' : valueInWords(value, place);
  const wanted = expected ?? place?.expected ?? 'another value';
  return {
    detail: `${subject} ${is}${near === undefined ? '.' : `: did you mean ${near}?`} Send ${wanted}${unquoted(value, place)}.`,
    ...(place?.values !== undefined && { allowed: place.values }),
  };
}

function valueInWords(value: unknown, place: Place | undefined): string {
  if (Array.isArray(value)) return place?.is === 'list' ? `is a list of ${value.length}` : 'is a list';
  if (value === null) return 'is null';
  if (typeof value === 'object') return place?.is === 'object' ? 'is not valid' : 'is an object';
  if (typeof value === 'function' || place === undefined || place.isSecret) return 'is not valid';
  const long = typeof value === 'string' && value.length > MAX_VALUE ? `, of ${value.length} characters` : '';
  return `has the value ${inJson(value)}${long}`;
}

/** A number and true or false are often sent as text. */
function unquoted(value: unknown, place: Place | undefined): string {
  if (typeof value !== 'string' || place === undefined || place.isSecret || place.isFromText === true) return '';
  const isQuoted =
    (place.is === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) ||
    (place.is === 'boolean' && /^(true|false)$/i.test(value));
  return isQuoted ? ', without quotes' : '';
}

function inJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, MAX_VALUE));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? '[…]' : typeof value === 'object' ? '{…}' : '"…"';
}

/** A name of the caller in a sentence. */
const nameInWords = (name: string): string => (/^[\w.$[\]-]+$/.test(name) ? name : JSON.stringify(name));

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Removes control characters and unpaired surrogates. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Surrogate}]/gu, '\u{fffd}');
}
