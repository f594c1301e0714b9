import type { InputFieldMap } from '@pothos/core';
import { z } from 'zod';
import { builder, type InputFieldBuilder } from './builder.ts';
import { sharedTypeOf } from './enums.ts';
import { restText } from './described-schema.ts';
import { FIELD_NAMES, INPUT_NAMES } from './names.ts';
import { type InputType, type TypeRegistry, componentOf, derivedType } from './type-registry.ts';

const INPUTS: TypeRegistry<InputType> = {
  known: new Map(),
  derive(schema) {
    const component = componentOf(schema);
    if (component === undefined || !isObject(schema)) return sharedTypeOf(schema);
    return restInput(INPUT_NAMES[component] ?? `${component}Input`, schema);
  },
};

type ObjectSchema = z.ZodObject | z.ZodPipe<z.ZodObject>;

const isObject = (schema: z.core.$ZodType): schema is ObjectSchema =>
  schema instanceof z.ZodObject || (schema instanceof z.ZodPipe && schema.in instanceof z.ZodObject);

/** An enum has no objects, so the look of an order is beside its mode. */
const LOOK_FIELD = 'Look of the account, such as `warm` or `warm@3`. It replaces `mode`.';

/** Lets fields of requests with a REST schema have a GraphQL type. */
export function inputTypeOf(restSchema: z.core.$ZodType, type: InputType): void {
  INPUTS.known.set(restSchema, type);
}

/**
 * Declares an input type with the fields of a REST schema. Fields with this schema have the type.
 * @param description absent: that of the schema
 */
export function restInput(name: string, restSchema: ObjectSchema, description = restText(restSchema)): InputType {
  const object = restSchema instanceof z.ZodPipe ? restSchema.in : restSchema;
  const type = builder.inputType(name, {
    description,
    restSchema: object,
    fields: (t) => inputFields((options) => t.field(options), object),
  });
  inputTypeOf(restSchema, type);
  return type;
}

/**
 * An argument or an input field for each field of a REST schema, with its description and default.
 * @throws Error for a field whose schema has no GraphQL type
 */
export function inputFields(field: InputFieldBuilder['field'], { shape }: z.ZodObject): InputFieldMap {
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const { type, nullable, ...defaults } = derivedType(name, schema, INPUTS);
    const options = { type, required: !nullable, description: restText(schema, name), ...defaults };
    const own = [FIELD_NAMES[name] ?? name, field(options)];
    return name === 'mode' ? [own, ['look', field({ type: 'String', description: LOOK_FIELD })]] : [own];
  });
  return Object.fromEntries(fields) as InputFieldMap;
}
