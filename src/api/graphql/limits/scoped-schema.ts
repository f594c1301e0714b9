import type { GraphQLField, GraphQLSchema } from 'graphql';
import type { Scope } from '@burnish/contract';
import { assertScope } from '../../commands/checks.ts';
import type { GraphqlContext } from '../context.ts';

/** Checks that the caller's key has the scope of each operation, and adds the scope to the operation's description. */
export function scopedSchema(schema: GraphQLSchema): GraphQLSchema {
  for (const root of [schema.getQueryType()!, schema.getMutationType()!]) {
    for (const field of Object.values(root.getFields()) as GraphQLField<unknown, GraphqlContext>[]) {
      const { resolve, description } = field;
      const scope = requireScope(field);
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

/** The declared scope of an operation. The compiler requires one; a missing one stops the start. */
function requireScope({ name, extensions }: GraphQLField<unknown, GraphqlContext>): Scope {
  const { scope } = extensions['pothosOptions'] as { scope?: Scope };
  if (scope === undefined) throw new Error(`The GraphQL operation ${name} needs a scope beside its type.`);
  return scope;
}
