/*
 * The answers of the service, by the short names that programs have for them.
 */
export type {
  ApiKeyRepresentation as ApiKey,
  ApiKeyWithSecretRepresentation as ApiKeyWithSecret,
  AuditEntryRepresentation as AuditEntry,
  CreditsRepresentation as Credits,
  LedgerLineRepresentation as LedgerLine,
  SettingsRepresentation as Settings,
} from '../../../src/domain/representations/account.ts';
export type {
  AddedBatchItems,
  BatchItemRepresentation as BatchItem,
  BatchRepresentation as Batch,
} from '../../../src/domain/representations/batch.ts';
export type {
  EnhancementRepresentation as Enhancement,
  EstimateRepresentation as Estimate,
} from '../../../src/domain/representations/enhancement.ts';
export type { Listing } from '../../../src/domain/representations/listing.ts';
export type {
  ParametersRepresentation as EnhancementParameters,
  PdfOptions,
} from '../../../src/domain/representations/parameters.ts';
export type { PresetRepresentation as Preset } from '../../../src/domain/representations/preset.ts';
export type {
  SignedUploadRepresentation as SignedUpload,
  TimelineEntryRepresentation as TimelineEntry,
  UploadRepresentation as Upload,
  UploadWithEnhancementsRepresentation as UploadWithEnhancements,
} from '../../../src/domain/representations/upload.ts';
export type {
  WebhookDeliveryRepresentation as WebhookDelivery,
  WebhookListenerRepresentation as WebhookListener,
  WebhookListenerWithSecretRepresentation as WebhookListenerWithSecret,
  WebhookRepresentation as Webhook,
  WebhookWithSecretRepresentation as WebhookWithSecret,
} from '../../../src/domain/representations/webhook.ts';
export type { EnhancementProgress } from '../../../src/engine/contract/progress.ts';
export type { FailureCode } from '../../../src/domain/failures.ts';
