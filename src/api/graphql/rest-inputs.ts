import type { InputFieldMap } from '@pothos/core';
import { z } from 'zod';
import { builder, type InputFieldBuilder } from './builder.ts';
import { derivedType, INPUT_TYPES, inputTypeOf } from './derived-type.ts';
import { restText } from './described-schema.ts';

/** Declares an input type with the fields of a REST schema. Fields with this schema have the type. */
export function restInput(name: string, restSchema: z.ZodObject | z.ZodPipe<z.ZodObject>): void {
  const object = restSchema instanceof z.ZodPipe ? restSchema.in : restSchema;
  const type = builder.inputType(name, {
    description: restText(restSchema),
    restSchema: object,
    fields: (t) => inputFields((options) => t.field(options), object),
  });
  inputTypeOf(restSchema, type);
}

/**
 * An argument or an input field for each field of a REST schema, with its name, description and default.
 * @throws Error for a field whose schema has no GraphQL type
 */
export function inputFields(field: InputFieldBuilder['field'], { shape }: z.ZodObject): InputFieldMap {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const { type, nullable, ...defaults } = derivedType(name, schema, INPUT_TYPES);
    return [name, field({ type, required: !nullable, description: restText(schema, name), ...defaults })];
  });
  return Object.fromEntries(fields) as InputFieldMap;
}
