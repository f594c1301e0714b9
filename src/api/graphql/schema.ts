import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import { boundSchema } from './limits/bound-schema.ts';
import { scopedSchema } from './limits/scoped-schema.ts';
import './scalars.ts';
import '../uploads/upload-graphql.ts';
import '../signed-uploads/signed-upload-graphql.ts';
import '../enhancements/enhancement-graphql.ts';
import '../credits/credit-graphql.ts';
import '../webhooks/webhook-graphql.ts';
import '../webhooks/delivery-graphql.ts';
import '../api-keys/api-key-graphql.ts';
import '../settings/settings-graphql.ts';
import '../settings/settings-graphql.ts';

builder.queryType({ description: 'Reads. They need no worker, and return the records in their present state.' });
builder.mutationType({
  description:
    'Changes. Each takes an `Idempotency-Key` header: the same key with the same request is carried out once, with the same answer.',
});

/** The whole schema, in the order of its declarations. */
export const schema: GraphQLSchema = scopedSchema(boundSchema(builder.toSchema({ sortSchema: false })));
