import type { FieldMap } from '@pothos/core';
import type { z } from 'zod';
import { builder, type ObjectFieldBuilder, type ObjectRefOf } from './builder.ts';
import { derivedType, OUTPUT_TYPES, typeOf } from './derived-type.ts';

type OwnFields = Record<string, FieldMap[string] | undefined>;

/**
 * A type with the fields of a REST schema. Values without one of them fail the build, unless `Missing` names it and `own` has it.
 * @param named its name, or the type to implement
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
    const { type, nullable } = derivedType(name, schema, OUTPUT_TYPES);
    const field = t.field({
      type,
      nullable,
      resolve: (values) => (values as Record<string, unknown>)[name] as never,
    });
    return [name, field];
  });
  const all = { ...Object.fromEntries(derived), ...own } as OwnFields;
  return Object.fromEntries(Object.entries(all).filter(([, field]) => field !== undefined)) as FieldMap;
}
