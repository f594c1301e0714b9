import type { GraphQLField, GraphQLSchema } from 'graphql';
import { assertScope } from '../../commands/checks.ts';
import type { Scope } from '../../../domain/accounts/scopes.ts';
import type { GraphqlContext } from '../context.ts';

/** Lets a caller through whose key has the scope of the operation, and says in the description of each which that is. */
export function scopedSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType()!, schema.getMutationType()!]) {
    for (const field of Object.values(root.getFields()) as GraphQLField<unknown, GraphqlContext>[]) {
      const { resolve, description } = field;
      const scope = scopeOf(field);
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

/** The scope that the operation is declared with. The compiler asks for it; what went around the compiler ends the start. */
function scopeOf({ name, extensions }: GraphQLField<unknown, GraphqlContext>): Scope {
  const { scope } = extensions['pothosOptions'] as { scope?: Scope };
  if (scope === undefined) throw new Error(`The GraphQL operation ${name} needs a scope beside its type.`);
  return scope;
}
