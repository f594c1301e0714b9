import type { GraphQLField, GraphQLSchema } from 'graphql';
import { assertScope, scopeOfField } from '../../scopes.ts';
import type { GraphqlContext } from '../context.ts';

/** Lets a caller through whose key has the scope of the operation, and says in the description of each which that is. */
export function scopedSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType()!, schema.getMutationType()!]) {
    for (const field of Object.values(root.getFields()) as GraphQLField<unknown, GraphqlContext>[]) {
      const { resolve, description } = field;
      const scope = scopeOfField(field.name);
      field.description = `${description} Needs the scope \`${scope}\`.`;
      field.extensions = { ...field.extensions, scope };
      field.resolve = (parent, args, context, info) => {
        assertScope(context.caller, scope);
        return resolve?.(parent, args, context, info);
      };
    }
  }
  return schema;
}
