import type { GraphQLSchema } from 'graphql';
import { apiKeyParts } from './api-keys/api-key-graphql.ts';
import { batchParts } from './batches/batch-graphql.ts';
import type { BatchNeeds } from './batches/batch-commands.ts';
import { enhancementParts } from './enhancements/enhancement-graphql.ts';
import type { EnhancementNeeds } from './enhancements/enhancement-commands.ts';
import { createSchema } from './graphql/create-schema.ts';
import { KEYED_OPERATIONS } from './operations.ts';
import { settingsParts } from './settings/settings-graphql.ts';
import type { SettingsNeeds } from './settings/settings-commands.ts';
import { signedUploadParts } from './signed-uploads/signed-upload-graphql.ts';
import type { SignedUploadNeeds } from './signed-uploads/signed-upload-commands.ts';
import { uploadParts } from './uploads/upload-graphql.ts';
import type { UploadNeeds } from './uploads/upload-commands.ts';
import { webhookParts } from './webhooks/webhook-graphql.ts';
import type { WebhookNeeds } from './webhooks/webhook-commands.ts';

/** What the fields use that GraphQL declares itself. The compiler checks that the gateway has it. */
export type FieldNeeds = BatchNeeds & EnhancementNeeds & SettingsNeeds & SignedUploadNeeds & UploadNeeds & WebhookNeeds;

export const schema: GraphQLSchema = createSchema(KEYED_OPERATIONS, [
  ...uploadParts,
  ...signedUploadParts,
  ...enhancementParts,
  ...batchParts,
  ...webhookParts,
  ...apiKeyParts,
  ...settingsParts,
]);
