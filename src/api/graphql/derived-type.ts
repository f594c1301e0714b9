import { z } from 'zod';
import type { InputFieldBuilder, ObjectFieldBuilder } from './builder.ts';

export type OutputType = Parameters<ObjectFieldBuilder<object>['field']>[0]['type'];
export type InputType = Parameters<InputFieldBuilder['field']>[0]['type'];

/** GraphQL types of REST schemas, in answers and in requests. Enums are in both. */
export const OUTPUT_TYPES = new Map<z.core.$ZodType, OutputType>();
export const INPUT_TYPES = new Map<z.core.$ZodType, InputType>();

/** Lets fields of answers with a REST schema have a GraphQL type. @returns the type */
export function typeOf<Type extends OutputType>(restSchema: z.core.$ZodType, type: Type): Type {
  OUTPUT_TYPES.set(restSchema, type);
  return type;
}

/** The same for fields of requests. */
export function inputTypeOf(restSchema: z.core.$ZodType, type: InputType): void {
  INPUT_TYPES.set(restSchema, type);
}

interface DerivedType<Type> {
  type: Type;
  nullable: boolean;
  /** Absent: the schema has no default */
  defaultValue?: unknown;
}

/**
 * The GraphQL type of a field in REST: the registered type of its schema, or a scalar.
 * @param name of the field; `id` and names that end with `Id` are ids
 * @throws Error for a schema without a GraphQL type
 */
export function derivedType<Type extends OutputType | InputType>(
  name: string,
  schema: z.core.$ZodType,
  types: ReadonlyMap<z.core.$ZodType, Type>,
): DerivedType<Type> {
  const known = findKnown(schema, types);
  if (known !== undefined) return { type: known, nullable: false };
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
function findKnown<Type>(schema: z.core.$ZodType, types: ReadonlyMap<z.core.$ZodType, Type>): Type | undefined {
  for (let each: z.core.$ZodType | undefined = schema; each !== undefined; each = each._zod.parent) {
    const type = types.get(each);
    if (type !== undefined) return type;
  }
  return undefined;
}

function scalarType(name: string, schema: z.core.$ZodType) {
  const { type, format } = schema._zod.def as z.core.$ZodStringFormatDef | (z.core.$ZodTypeDef & { format?: string });
  if (type === 'string' && format === 'datetime') return 'DateTime';
  if (type === 'string' || type === 'enum') return /^id$|Id$/.test(name) ? 'ID' : 'String';
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'Int' : 'Decimal';
  if (type === 'boolean') return 'Boolean';
  throw new Error(`The GraphQL field ${name} needs a type of its own.`);
}
