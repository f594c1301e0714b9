import { z } from 'zod';
import {
  countInWords,
  ENTRIES,
  numberInWords,
  objectInWords,
  oneOf,
  suchAs,
  type Bounds,
  type Place,
} from '../findings/place.ts';

/** A time as the requests of Burnish take it. */
export const TIME_EXPECTED = 'a time with its zone, such as 2026-01-31T00:00:00Z';

/** What a schema of Zod accepts. @param given an example of it, from a schema around it */
export function placeOf(schema: z.core.$ZodType, given?: unknown): Place {
  const { example = given, format } = z.globalRegistry.get(schema) ?? {};
  const inner = unwrapped(schema);
  const place = inner === undefined ? ownPlace(schema, example) : placeOf(inner, example);
  const isSecret = place.isSecret || format === 'password' || format === 'uri';
  const isFromText = schema instanceof z.ZodPipe && takesText(schema.def.in);
  return { ...place, isSecret, ...(isFromText && { isFromText }) };
}

/** The schema inside of one that only adds to it. Of a pipe, the side that checks: text for a number becomes one first. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) {
    const { in: from, out } = schema.def;
    return out instanceof z.ZodTransform ? from : out;
  }
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return schema.def.innerType;
  return undefined;
}

/** Whether a schema reads a number, an object or a list from text. */
const takesText = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodString || (schema instanceof z.ZodPipe && takesText(schema.def.in));

const NO_FIELDS: Place['fields'] = new Map();

function ownPlace(schema: z.core.$ZodType, example: unknown): Place {
  const simple = (is: Place['is'], expected: string, values?: readonly string[]): Place => ({
    ...{ is, expected, fields: NO_FIELDS, isSecret: false },
    ...(values !== undefined && { values }),
  });
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const values = [...(schema instanceof z.ZodEnum ? schema.options : schema.def.values)].map(String);
    return simple('choice', oneOf(values), values);
  }
  if (schema instanceof z.ZodNumber)
    return simple('number', numberInWords(boundsOf(schema), schema.format === 'safeint'));
  if (schema instanceof z.ZodBoolean) return simple('boolean', 'true or false');
  if (schema instanceof z.ZodISODateTime) return simple('text', TIME_EXPECTED);
  if (schema instanceof z.ZodISODate) return simple('text', 'a date, such as 2026-01-31');
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat)
    return simple('text', textInWords(schema, example));
  if (schema instanceof z.ZodArray) {
    const entry = () => placeOf(schema.element);
    const expected = `a list${countInWords(boundsOf(schema), 'entry', 'entries')}${suchAs(example)}`;
    return { is: 'list', expected, fields: new Map([[ENTRIES, entry]]), isSecret: false };
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape).sort(([, a], [, b]) => rank(a) - rank(b));
    return {
      is: 'object',
      expected: example === undefined ? objectInWords(fields.map(([name]) => name)) : `an object${suchAs(example)}`,
      fields: new Map(fields.map(([name, each]) => [name, () => placeOf(each)])),
      isSecret: false,
    };
  }
  if (schema instanceof z.ZodRecord) return simple('object', `an object${suchAs(example)}`);
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((each) => placeOf(each));
    return {
      is: options.every(({ is }) => is === 'object') ? 'object' : 'other',
      expected: [...new Set(options.map(({ expected }) => expected))].join(', or '),
      fields: new Map(options.flatMap(({ fields }) => [...fields])),
      isSecret: options.some(({ isSecret }) => isSecret),
    };
  }
  return simple('other', `another value${suchAs(example)}`);
}

/** Required fields come first. */
const rank = (schema: z.core.$ZodType): number => (schema._zod.optin === 'optional' ? 1 : 0);

function textInWords(schema: z.core.$ZodType, example: unknown): string {
  const length = countInWords(boundsOf(schema), 'character', 'characters');
  return `text${length}${typeof example === 'string' ? suchAs(example) : ''}`;
}

/** A bound, unless it is that of JavaScript's whole numbers, which nobody means. */
const asMeant = (bound: unknown): number | undefined =>
  typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;

/** The bounds of a number, of the length of a text, or of the entries of a list. */
function boundsOf(schema: z.core.$ZodType): Bounds {
  const { checks = [] } = schema._zod.def as { checks?: z.core.$ZodCheck[] };
  const bounds: Bounds = {};
  for (const { _zod } of checks) {
    const { check, value, minimum, maximum } = _zod.def as unknown as Record<string, unknown>;
    if (check === 'greater_than' || check === 'min_length') bounds.min = asMeant(value ?? minimum);
    else if (check === 'less_than' || check === 'max_length') bounds.max = asMeant(value ?? maximum);
  }
  return bounds;
}
