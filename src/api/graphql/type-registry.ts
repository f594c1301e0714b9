import { z } from 'zod';
import type { InputFieldBuilder, ObjectFieldBuilder } from './builder.ts';

export type OutputType = Parameters<ObjectFieldBuilder<object>['field']>[0]['type'];
export type InputType = Parameters<InputFieldBuilder['field']>[0]['type'];

/** The GraphQL types of REST schemas, in answers or in requests. */
export interface TypeRegistry<Type> {
  readonly known: Map<z.core.$ZodType, Type>;
  /** The type that follows from a named schema; undefined for any other */
  derive: (schema: z.core.$ZodType) => Type | undefined;
}

interface DerivedType<Type> {
  type: Type;
  nullable: boolean;
  /** Absent: the schema has no default */
  defaultValue?: unknown;
}

/**
 * The GraphQL type of a field in REST: the type of its schema, or a scalar.
 * @param name of the field; `id` and names that end with `Id` are ids
 * @throws Error for a schema without a GraphQL type
 */
export function derivedType<Type extends OutputType | InputType>(
  name: string,
  schema: z.core.$ZodType,
  types: TypeRegistry<Type>,
): DerivedType<Type> {
  const named = findType(schema, types);
  if (named !== undefined) return { type: named, nullable: false };
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return { ...derivedType(name, schema.def.innerType, types), nullable: true };
  if (schema instanceof z.ZodDefault) {
    const { innerType, defaultValue } = schema.def;
    return { ...derivedType(name, innerType, types), nullable: true, defaultValue };
  }
  // A request contains what a schema takes, and not what it makes of it.
  if (schema instanceof z.ZodPipe) return derivedType(name, schema.def.in, types);
  if (schema instanceof z.ZodArray) {
    const { type } = derivedType(name.replace(/s$/, ''), schema.element, types);
    return { type: [type] as Type, nullable: false };
  }
  return { type: scalarType(name, schema) as Type, nullable: false };
}

/** The type of a schema, or of the one that it describes in other words. */
export function findType<Type>(schema: z.core.$ZodType, { known, derive }: TypeRegistry<Type>): Type | undefined {
  for (let each: z.core.$ZodType | undefined = schema; each !== undefined; each = each._zod.parent) {
    const type = known.get(each) ?? derive(each);
    if (type === undefined) continue;
    known.set(each, type);
    return type;
  }
  return undefined;
}

/** The component of a schema in OpenAPI. */
export const componentOf = (schema: z.core.$ZodType): string | undefined => z.globalRegistry.get(schema)?.id;

export const isIdName = (name: string): boolean => /^id$|Id$/.test(name);

/** In the query of an address, a truth is a text. */
const isTruthText = (schema: z.core.$ZodType): boolean =>
  schema instanceof z.ZodEnum && schema.options.join() === 'true,false';

function scalarType(name: string, schema: z.core.$ZodType) {
  const { type, format } = schema._zod.def as z.core.$ZodStringFormatDef | (z.core.$ZodTypeDef & { format?: string });
  if (type === 'string' && format === 'datetime') return 'DateTime';
  if (type === 'boolean' || isTruthText(schema)) return 'Boolean';
  if (type === 'string' || type === 'enum') return isIdName(name) ? 'ID' : 'String';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'Int' : 'Decimal';
  throw new Error(`The GraphQL field ${name} needs a type of its own.`);
}
