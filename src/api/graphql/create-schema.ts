import type { GraphQLSchema } from 'graphql';
import type { Operation } from '../rest/operation.ts';
import { builder } from './builder.ts';
import { describedSchema } from './described-schema.ts';
import { boundSchema } from './limits/bound-schema.ts';
import { scopedSchema } from './limits/scoped-schema.ts';
import { operationField } from './operation-field.ts';
import type { SchemaPart } from './root-fields.ts';
import { declareScalars } from './scalars.ts';

/**
 * Builds the schema, once in a process.
 * @param operations those with a name in GraphQL become its queries and mutations
 * @param parts fields and types of another shape than in REST
 */
export function createSchema(operations: readonly Operation<never>[], parts: readonly SchemaPart[]): GraphQLSchema {
  declareScalars();
  builder.queryType({ description: 'Queries. They return records in their current state, and need no worker.' });
  builder.mutationType({
    description:
      'Mutations. Each accepts the header `Idempotency-Key`: a repeated request with the same key takes effect once and gets the same response.',
  });
  for (const declare of parts) declare();
  for (const { shared } of operations) if (shared !== undefined) operationField(shared)();
  return scopedSchema(describedSchema(boundSchema(builder.toSchema({ sortSchema: false }))));
}
