import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import { boundSchema } from './limits/bound-schema.ts';
import { scopedSchema } from './limits/scoped-schema.ts';
import './scalars.ts';
import '../uploads/upload-graphql.ts';
import '../enhancements/enhancement-graphql.ts';
import '../api-keys/api-key-graphql.ts';
import '../webhooks/webhook-graphql.ts';
import '../webhooks/delivery-graphql.ts';
import './operations/upload-queries.ts';
import './operations/account-queries.ts';
import './operations/upload-mutations.ts';
import './operations/enhancement-mutations.ts';
import './operations/account-mutations.ts';

builder.queryType({ description: 'Reads. They need no worker, and answer with the records as they stand.' });
builder.mutationType({
  description:
    'Changes. Each takes an `Idempotency-Key` header: the same key with the same request is carried out once and answered alike.',
});

/** The whole schema, in the order in which it is written. */
export const schema: GraphQLSchema = scopedSchema(boundSchema(builder.toSchema({ sortSchema: false })));
