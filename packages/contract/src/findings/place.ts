/** A place of an input, in the terms that schemas of REST and types of GraphQL share. */
export interface Place {
  /** What it accepts, after "Send", such as `a whole number from 1 to 100` */
  readonly expected: string;
  readonly is: 'text' | 'number' | 'boolean' | 'list' | 'object' | 'choice' | 'other';
  /** The values of a choice */
  readonly values?: readonly string[];
  /** The fields of an object, and the entries of a list as `[]`; required ones first */
  readonly fields: ReadonlyMap<string, () => Place>;
  /** Its value is never repeated: a password, or an address that may contain a token */
  readonly isSecret: boolean;
  /** It is sent as text, in a form or a query: also a number, and a list as JSON */
  readonly isFromText?: boolean;
}

/** Entries of a list, as a field of its place. */
export const ENTRIES = '[]';

export type Path = readonly (string | number)[];

/** `['enhancements', 0, 'mode']` → `enhancements[0].mode` */
export const writePath = (path: Path): string =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');

/** The place at a path; undefined where the input has none. */
export function placeAt(root: Place, path: Path): Place | undefined {
  return path.reduce<Place | undefined>(
    (place, part) => place?.fields.get(typeof part === 'number' ? ENTRIES : part)?.(),
    root,
  );
}

/** Objects that stand in a list in an object are the deepest ones that a caller leaves out. */
const DEEPEST = 4;

/** The shortest path to a field of this name; undefined where the input has none. */
export function findField(root: Place, name: string): string[] | undefined {
  let level: { path: string[]; place: Place }[] = [{ path: [], place: root }];
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const found = level.find(({ place }) => place.fields.has(name));
    if (found !== undefined) return [...found.path, name];
    level = level.flatMap(({ path, place }) =>
      [...place.fields].map(([each, at]) => ({ path: [...path, each], place: at() })),
    );
  }
  return undefined;
}

/* What a place accepts, in words. */

const MOST_NAMED = 30;

/** `A, B or C` */
export function oneOf(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED);
  if (names.length > MOST_NAMED) return `${shown.join(', ')} or another one`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)!}`;
}

export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

/** ` from 1 to 100` */
function inBounds({ min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}

export const numberInWords = (bounds: Bounds, isWhole: boolean): string =>
  `${isWhole ? 'a whole number' : 'a number'}${inBounds(bounds)}`;

/** ` of 1 to 255 characters` */
export function countInWords({ min = 0, max }: Bounds, one: string, many: string): string {
  if (max === undefined) return min === 0 ? '' : ` of at least ${min} ${min === 1 ? one : many}`;
  if (min === max) return ` of ${max} ${max === 1 ? one : many}`;
  return min === 0 ? ` of at most ${max} ${many}` : ` of ${min} to ${max} ${many}`;
}

/** `, such as "order-4711"`; empty without an example, and for a long one */
export function suchAs(example: unknown): string {
  if (example === undefined) return '';
  const text = JSON.stringify(example);
  return text.length > 120 ? '' : `, such as ${text}`;
}

export const objectInWords = (names: readonly string[]): string =>
  names.length === 0
    ? 'an object'
    : `an object with ${names.length === 1 ? 'the field' : 'fields such as'} ${and(names)}`;

/** Names of an object in an example of what it is. */
const MOST_FIELDS = 4;
function and(names: readonly string[]): string {
  const shown = names.slice(0, MOST_FIELDS);
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)!}`;
}
