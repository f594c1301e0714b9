import type { GraphQLSchema } from 'graphql';
import { builder } from './graphql/builder.ts';
import { describedSchema } from './graphql/described-schema.ts';
import { boundSchema } from './graphql/limits/bound-schema.ts';
import { scopedSchema } from './graphql/limits/scoped-schema.ts';
import './graphql/scalars.ts';
import './uploads/upload-graphql.ts';
import './signed-uploads/signed-upload-graphql.ts';
import './enhancements/enhancement-graphql.ts';
import './presets/preset-graphql.ts';
import './batches/batch-graphql.ts';
import './credits/credit-graphql.ts';
import './webhooks/webhook-graphql.ts';
import './webhooks/delivery-graphql.ts';
import './api-keys/api-key-graphql.ts';
import './settings/settings-graphql.ts';

builder.queryType({ description: 'Queries. They return records in their current state, and need no worker.' });
builder.mutationType({
  description:
    'Mutations. Each accepts the header `Idempotency-Key`: a repeated request with the same key takes effect once and gets the same response.',
});

/** The whole schema, in the order of its declarations. */
export const schema: GraphQLSchema = scopedSchema(
  describedSchema(boundSchema(builder.toSchema({ sortSchema: false }))),
);
