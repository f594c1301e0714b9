import type { z } from 'zod';
import type { apiKeySchema, apiKeyWithSecretSchema } from '../../src/api/api-keys/api-key-operations.ts';
import type { creditsSchema, ledgerEntrySchema } from '../../src/api/credits/credit-operations.ts';
import type * as rest from '../../src/api/uploads/upload-schemas.ts';
import type { settingsSchema } from '../../src/api/settings/settings-operations.ts';
import type { timelineEntrySchema } from '../../src/api/uploads/timeline-operations.ts';
import type { deliverySchema } from '../../src/api/webhooks/delivery-operations.ts';
import type { webhookSchema, webhookWithSecretSchema } from '../../src/api/webhooks/webhook-operations.ts';
import type * as account from '../../src/domain/representations/account.ts';
import type { EnhancementRepresentation } from '../../src/domain/representations/enhancement.ts';
import type * as upload from '../../src/domain/representations/upload.ts';
import type * as webhook from '../../src/domain/representations/webhook.ts';

/** Compiles where both are the same: each is assignable to the other. */
type Same<Body extends Documented, Documented extends SameBody, SameBody = Body> = [Body, Documented];
type Of<Schema extends z.ZodType> = z.infer<Schema>;

/**
 * What the gateway answers with, against the schemas that document it: one that changes alone fails `npm run types`.
 */
export type Answers = [
  Same<upload.UploadRepresentation, Of<typeof rest.uploadSchema>>,
  Same<upload.UploadWithEnhancementsRepresentation, Of<typeof rest.uploadWithEnhancementsSchema>>,
  Same<upload.SignedUploadRepresentation, Of<typeof rest.signedUploadSchema>>,
  Same<upload.TimelineEntryRepresentation, Of<typeof timelineEntrySchema>>,
  Same<EnhancementRepresentation, Of<typeof rest.enhancementSchema>>,
  Same<account.CreditsRepresentation, Of<typeof creditsSchema>>,
  Same<account.LedgerEntryRepresentation, Of<typeof ledgerEntrySchema>>,
  Same<account.SettingsRepresentation, Of<typeof settingsSchema>>,
  Same<account.ApiKeyRepresentation, Of<typeof apiKeySchema>>,
  Same<account.ApiKeyWithSecretRepresentation, Of<typeof apiKeyWithSecretSchema>>,
  Same<webhook.WebhookRepresentation, Of<typeof webhookSchema>>,
  Same<webhook.WebhookWithSecretRepresentation, Of<typeof webhookWithSecretSchema>>,
  Same<webhook.WebhookDeliveryRepresentation, Of<typeof deliverySchema>>,
];
