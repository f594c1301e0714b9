import type { FieldMap } from '@pothos/core';
import { z } from 'zod';
import { builder, type ObjectFieldBuilder, type ObjectRefOf } from './builder.ts';

type OutputType = Parameters<ObjectFieldBuilder<object>['field']>[0]['type'];

type OwnFields = Record<string, FieldMap[string] | undefined>;

const TYPES = new Map<z.core.$ZodType, OutputType>();

/** Lets fields of a REST schema have a GraphQL type. @returns the type */
export function typeOf<Type extends OutputType>(restSchema: z.core.$ZodType, type: Type): Type {
  TYPES.set(restSchema, type);
  return type;
}

/**
 * A type with the fields of a REST schema. Values without one of them fail the build, unless `Missing` names it and `own` has it.
 * @param named its name, or the type of `record-types.ts` to implement
 * @param own as in `restFields`
 */
export function restType<
  Schema extends z.ZodObject,
  Missing extends string = never,
  Values extends Omit<z.output<Schema>, Missing> = z.output<Schema>,
>(
  named: string | ReturnType<typeof builder.objectRef<Values>>,
  restSchema: Schema,
  own?: (t: ObjectFieldBuilder<Values>) => OwnFields & Record<NoInfer<Missing>, FieldMap[string]>,
): ObjectRefOf<Values> {
  const type = typeof named === 'string' ? builder.objectRef<Values>(named) : named;
  type.implement({ restSchema, fields: (t) => restFields(t, restSchema, own?.(t)) });
  return typeOf(restSchema, type);
}

/**
 * A field for each field of a REST schema, in its order, with the same name and value. `describedSchema` adds the descriptions.
 * @param own fields that GraphQL declares itself, in place of those with the same name or after all others; undefined leaves one out
 * @throws Error for a field whose schema has no GraphQL type
 */
function restFields<Values extends object>(
  t: ObjectFieldBuilder<Values>,
  restSchema: z.ZodObject,
  own: OwnFields = {},
): FieldMap {
  const derived = Object.entries(restSchema.shape).map(([name, schema]) => {
    if (Object.hasOwn(own, name)) return [name, own[name]];
    const field = t.field({
      ...outputType(name, schema),
      resolve: (values) => (values as Record<string, unknown>)[name] as never,
    });
    return [name, field];
  });
  const all = { ...Object.fromEntries(derived), ...own } as OwnFields;
  return Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) as FieldMap;
}

function outputType(name: string, schema: z.core.$ZodType): { type: OutputType; nullable: boolean } {
  const known = findKnown(schema);
  if (known !== undefined) return { type: known, nullable: false };
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return { ...outputType(name, schema.def.innerType), nullable: true };
  if (schema instanceof z.ZodArray) {
    const { type } = outputType(name.replace(/s$/, ''), schema.element);
    return { type: [type] as OutputType, nullable: false };
  }
  return { type: leafType(name, schema), nullable: false };
}

/** The type of a schema, or of the one that it describes in other words. */
function findKnown(schema: z.core.$ZodType): OutputType | undefined {
  for (let each: z.core.$ZodType | undefined = schema; each !== undefined; each = each._zod.parent) {
    const type = TYPES.get(each);
    if (type !== undefined) return type;
  }
  return undefined;
}

function leafType(name: string, schema: z.core.$ZodType): OutputType {
  const { type, format } = schema._zod.def as z.core.$ZodStringFormatDef | (z.core.$ZodTypeDef & { format?: string });
  if (type === 'string' && format === 'datetime') return 'DateTime';
  if (type === 'string' || type === 'enum') return /^id$|Id$/.test(name) ? 'ID' : 'String';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'Int' : 'Decimal';
  if (type === 'boolean') return 'Boolean';
  throw new Error(`The GraphQL field ${name} needs a type of its own.`);
}
