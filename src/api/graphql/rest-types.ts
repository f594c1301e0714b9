import type { FieldMap } from '@pothos/core';
import { z } from 'zod';
import { builder, type ObjectFieldBuilder, type ObjectRefOf } from './builder.ts';
import { restText } from './described-schema.ts';
import { sharedTypeOf } from './enums.ts';
import { FIELD_NAMES, FIELD_TYPES, TYPE_NAMES } from './names.ts';
import { type OutputType, type TypeRegistry, componentOf, derivedType, findType } from './type-registry.ts';

type OwnFields<Values> = (t: ObjectFieldBuilder<Values>) => Record<string, FieldMap[string] | undefined>;

const OUTPUTS: TypeRegistry<OutputType> = {
  known: new Map(),
  derive: (schema) =>
    sharedTypeOf(schema) ??
    (schema instanceof z.ZodObject && componentOf(schema) !== undefined ? restType(schema) : undefined),
};

/** Lets fields with a REST schema have a GraphQL type. @returns the type */
export function typeOf<Type extends OutputType>(restSchema: z.core.$ZodType, type: Type): Type {
  OUTPUTS.known.set(restSchema, type);
  return type;
}

/** The GraphQL type of a record in REST. */
export const recordType = <Schema extends z.ZodObject>(restSchema: Schema): ObjectRefOf<z.output<Schema>> =>
  findType(restSchema, OUTPUTS) as ObjectRefOf<z.output<Schema>>;

/**
 * Declares the type of a record before one follows from its schema alone.
 * @param own fields that GraphQL declares itself, in place of those with the same name or after all others; undefined leaves one out
 * @param description absent: that of the schema
 */
export function restType<Schema extends z.ZodObject>(
  restSchema: Schema,
  own?: OwnFields<z.output<Schema>>,
  description?: string,
): ObjectRefOf<z.output<Schema>> {
  const component = componentOf(restSchema)!;
  const type = builder.objectRef<z.output<Schema>>(TYPE_NAMES[component] ?? component);
  type.implement({
    restSchema,
    ...(description !== undefined && { description }),
    fields: (t) => restFields(t, restSchema, own?.(t)),
  });
  return typeOf(restSchema, type);
}

/**
 * A field for each field of a REST schema, in its order, with its value.
 * @throws Error for a field whose schema has no GraphQL type
 */
function restFields<Values extends object>(
  t: ObjectFieldBuilder<Values>,
  restSchema: z.ZodObject,
  own: ReturnType<OwnFields<Values>> = {},
): FieldMap {
  const types = FIELD_TYPES[componentOf(restSchema) ?? ''] ?? {};
  const derived = Object.entries(restSchema.shape).map(([restName, schema]) => {
    const name = FIELD_NAMES[restName] ?? restName;
    return [name, Object.hasOwn(own, name) ? own[name] : restField(t, restName, schema, types[restName])];
  });
  const all = { ...Object.fromEntries(derived), ...own } as typeof own;
  return Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) as FieldMap;
}

function restField<Values extends object>(
  t: ObjectFieldBuilder<Values>,
  name: string,
  schema: z.core.$ZodType,
  ownType: OutputType | undefined,
) {
  const read = (values: Values): unknown => (values as Record<string, unknown>)[name];
  const description = restText(schema, name);
  if (schema instanceof z.ZodNullable && schema.def.innerType instanceof z.ZodRecord)
    return t.string({
      nullable: true,
      description: `${description} As JSON text.`,
      resolve: (values) => (read(values) ?? null) && JSON.stringify(read(values)),
    });
  const { type, nullable } = derivedType(name, schema, OUTPUTS);
  return t.field({ type: ownType ?? type, nullable, description, resolve: (values) => read(values) as never });
}
