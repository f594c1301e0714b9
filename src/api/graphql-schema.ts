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
import type { ApiKeyNeeds } from './api-keys/api-key-commands.ts';
import type { BatchNeeds } from './batches/batch-commands.ts';
import type { CreditNeeds } from './credits/credit-operations.ts';
import type { EnhancementNeeds } from './enhancements/enhancement-commands.ts';
import type { PresetNeeds } from './presets/preset-commands.ts';
import type { SettingsNeeds } from './settings/settings-commands.ts';
import type { SignedUploadNeeds } from './signed-uploads/signed-upload-commands.ts';
import type { UploadNeeds } from './uploads/upload-commands.ts';
import type { WebhookNeeds } from './webhooks/webhook-commands.ts';

/** What the fields use. The compiler checks that the gateway has it. */
export type FieldNeeds = ApiKeyNeeds &
  BatchNeeds &
  CreditNeeds &
  EnhancementNeeds &
  PresetNeeds &
  SettingsNeeds &
  SignedUploadNeeds &
  UploadNeeds &
  WebhookNeeds;

builder.queryType({ description: 'Queries. They return records in their current state, and need no worker.' });
builder.mutationType({
  description:
    'Mutations. Each accepts the header `Idempotency-Key`: a repeated request with the same key takes effect once and gets the same response.',
});

/** The whole schema, in the order of its declarations. */
export const schema: GraphQLSchema = scopedSchema(
  describedSchema(boundSchema(builder.toSchema({ sortSchema: false }))),
);
