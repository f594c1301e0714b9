import {
  GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
} from 'graphql';
import type { z } from 'zod';
import {
  ENTRIES,
  numberInWords,
  objectInWords,
  oneOf,
  placeOf,
  TIME_EXPECTED,
  type Place,
} from '@burnish/contract/schemas';
import { findRestSchema } from './described-schema.ts';

/** What the scalars accept, after "Send". */
const SCALARS: Record<string, Pick<Place, 'is' | 'expected'>> = {
  Int: { is: 'number', expected: numberInWords({}, true) },
  Decimal: { is: 'number', expected: numberInWords({}, false) },
  Boolean: { is: 'boolean', expected: 'true or false' },
  String: { is: 'text', expected: 'text' },
  ID: { is: 'text', expected: 'an id as text' },
  DateTime: { is: 'text', expected: TIME_EXPECTED },
};

/** What an input type accepts. An input object tells of its fields what their schemas in REST say. */
export function placeOfType(type: GraphQLInputType): Place {
  if (isNonNullType(type)) return placeOfType(type.ofType);
  if (isListType(type))
    return {
      is: 'list',
      expected: 'a list',
      fields: new Map([[ENTRIES, () => placeOfType(type.ofType)]]),
      isSecret: false,
    };
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name);
    return { is: 'choice', expected: oneOf(values), values, fields: new Map(), isSecret: false };
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).sort(
      (a, b) => Number(isNonNullType(b.type)) - Number(isNonNullType(a.type)),
    );
    const shape = findRestSchema(type)?.shape;
    return {
      is: 'object',
      expected: objectInWords(fields.map(({ name }) => name)),
      fields: new Map(
        fields.map((field) => [field.name, () => inRestWords(placeOfType(field.type), shape?.[field.name])]),
      ),
      isSecret: false,
    };
  }
  const { is = 'other', expected = `a ${type.name} in a variable` } = SCALARS[type.name] ?? {};
  return { is, expected, fields: new Map(), isSecret: false };
}

/** Bounds and secrecy are in the schema of REST alone. */
function inRestWords(place: Place, schema: z.core.$ZodType | undefined): Place {
  if (schema === undefined) return place;
  const { is, expected, isSecret } = placeOf(schema);
  return { ...place, isSecret, ...(is === place.is && { expected }) };
}

/** Names of the fields that a document may select; empty for other types. */
export const selectable = (type: unknown): string[] =>
  type instanceof GraphQLObjectType ? Object.keys(type.getFields()) : [];
