import { isInputObjectType, isObjectType, type GraphQLNamedType, type GraphQLSchema } from 'graphql';
import { z } from 'zod';

interface Described {
  name: string;
  description?: string | null | undefined;
  extensions: object;
}

/** Copies descriptions of types and fields from their REST schemas, unless they have one of their own. */
export function describedSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    const shape = findRestSchema(type);
    if (shape === undefined) continue;
    for (const field of listFields(type)) describe(field, shape.shape[field.name]);
    describe(type, shape);
  }
  return schema;
}

/** The schema beside a declared type. */
export const findRestSchema = ({ extensions }: Pick<Described, 'extensions'>): z.ZodObject | undefined =>
  (extensions as { pothosOptions?: { restSchema?: z.ZodObject } }).pothosOptions?.restSchema;

const listFields = (type: GraphQLNamedType) =>
  isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];

function describe(described: Described, schema: z.core.$ZodType | undefined): void {
  if (schema !== undefined) described.description ??= restText(schema, described.name);
}

/**
 * The description of a schema, or of the schema that it wraps. Further paragraphs list the values of an enum, and
 * GraphQL describes those itself.
 * @throws Error for a schema without a description
 */
export function restText(schema: z.core.$ZodType, name = 'of a field'): string {
  const description = z.globalRegistry.get(schema)?.description;
  if (description !== undefined) return description.split('\n\n')[0]!;
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  if (innerType === undefined) throw new Error(`The REST schema ${name} needs a description.`);
  return restText(innerType, name);
}
