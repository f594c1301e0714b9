import type { z } from 'zod';
import type { WebhookEventData } from '@burnish/client';
import type { apiKeySchema, apiKeyWithSecretSchema } from '../../src/api/api-keys/api-key-schemas.ts';
import type { addedItemsSchema, batchItemSchema, batchSchema } from '../../src/api/batches/batch-schemas.ts';
import type { creditsSchema, ledgerLineSchema } from '../../src/api/credits/credit-schemas.ts';
import type { enhancementSchema } from '../../src/api/enhancements/enhancement-schemas.ts';
import type { estimateSchema } from '../../src/api/enhancements/estimate-schemas.ts';
import type { signedUploadSchema } from '../../src/api/signed-uploads/signed-upload-schemas.ts';
import type { uploadSchema, uploadWithEnhancementsSchema } from '../../src/api/uploads/upload-schemas.ts';
import type { settingsSchema } from '../../src/api/settings/settings-commands.ts';
import type { timelineEntrySchema } from '../../src/api/uploads/timeline-operations.ts';
import type { deliverySchema } from '../../src/api/webhooks/webhook-schemas.ts';
import type { webhookSchema, webhookWithSecretSchema } from '../../src/api/webhooks/webhook-schemas.ts';
import type * as account from '../../src/domain/representations/account.ts';
import type { EVENT_DATA } from '../../src/api/openapi/event-webhooks.ts';
import type * as batch from '../../src/domain/representations/batch.ts';
import type {
  EnhancementRepresentation,
  EstimateRepresentation,
} from '../../src/domain/representations/enhancement.ts';
import type * as upload from '../../src/domain/representations/upload.ts';
import type * as webhook from '../../src/domain/representations/webhook.ts';

/** Compiles where both are the same: each is assignable to the other. */
type Same<Body extends Documented, Documented extends SameBody, SameBody = Body> = [Body, Documented];
type Of<Schema extends z.ZodType> = z.infer<Schema>;

/**
 * What the gateway answers with, against the schemas that document it: one that changes alone fails `npm run types`.
 */
export type Answers = [
  Same<upload.UploadRepresentation, Of<typeof uploadSchema>>,
  Same<upload.UploadWithEnhancementsRepresentation, Of<typeof uploadWithEnhancementsSchema>>,
  Same<upload.SignedUploadRepresentation, Of<typeof signedUploadSchema>>,
  Same<upload.TimelineEntryRepresentation, Of<typeof timelineEntrySchema>>,
  Same<batch.BatchRepresentation, Of<typeof batchSchema>>,
  Same<batch.BatchItemRepresentation, Of<typeof batchItemSchema>>,
  Same<batch.AddedBatchItems, Of<typeof addedItemsSchema>>,
  Same<EnhancementRepresentation, Of<typeof enhancementSchema>>,
  Same<EstimateRepresentation, Of<typeof estimateSchema>>,
  Same<account.CreditsRepresentation, Of<typeof creditsSchema>>,
  Same<account.LedgerLineRepresentation, Of<typeof ledgerLineSchema>>,
  Same<account.SettingsRepresentation, Of<typeof settingsSchema>>,
  Same<account.ApiKeyRepresentation, Of<typeof apiKeySchema>>,
  Same<account.ApiKeyWithSecretRepresentation, Of<typeof apiKeyWithSecretSchema>>,
  Same<webhook.WebhookRepresentation, Of<typeof webhookSchema>>,
  Same<webhook.WebhookWithSecretRepresentation, Of<typeof webhookWithSecretSchema>>,
  Same<webhook.WebhookDeliveryRepresentation, Of<typeof deliverySchema>>,
];

type EventData = { [Kind in keyof typeof EVENT_DATA]: Of<(typeof EVENT_DATA)[Kind]> };

/** The data of events as the client reads it, against the schemas that document it. */
export type Events = [
  Same<WebhookEventData['upload.status_update'], EventData['upload.status_update']>,
  Same<WebhookEventData['upload.sub_status_update'], EventData['upload.sub_status_update']>,
  Same<WebhookEventData['enhanced_image.status_update'], EventData['enhanced_image.status_update']>,
  Same<WebhookEventData['credits.low'], EventData['credits.low']>,
  Same<WebhookEventData['webhook.disabled'], EventData['webhook.disabled']>,
  Same<WebhookEventData['upload.deleted'], EventData['upload.deleted']>,
  Same<WebhookEventData['batch.approval_needed'], EventData['batch.approval_needed']>,
  Same<WebhookEventData['batch.half_done'], EventData['batch.half_done']>,
  Same<WebhookEventData['batch.trouble'], EventData['batch.trouble']>,
  Same<WebhookEventData['batch.ended'], EventData['batch.ended']>,
  Same<WebhookEventData['webhook.test'], EventData['webhook.test']>,
];
