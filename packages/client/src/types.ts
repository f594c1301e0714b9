/*
 * The answers of the service, by the short names that programs have for them.
 */
export type {
  AddedBatchItemsRepresentation as AddedBatchItems,
  ApiKeyRepresentation as ApiKey,
  ApiKeyWithSecretRepresentation as ApiKeyWithSecret,
  AuditEntryRepresentation as AuditEntry,
  BatchItemRepresentation as BatchItem,
  BatchRepresentation as Batch,
  CreditsRepresentation as Credits,
  EnhancementRepresentation as Enhancement,
  EstimateRepresentation as Estimate,
  LedgerLineRepresentation as LedgerLine,
  LookRepresentation as Look,
  LookTrialRepresentation as LookTrial,
  OrderEstimateRepresentation as OrderEstimate,
  PresetRepresentation as Preset,
  SettingsRepresentation as Settings,
  SignedUploadRepresentation as SignedUpload,
  TimelineEntryRepresentation as TimelineEntry,
  TrialRepresentation as Trial,
  UploadRepresentation as Upload,
  UsageDayRepresentation as UsageDay,
  UploadWithEnhancementsRepresentation as UploadWithEnhancements,
  WebhookDeliveryRepresentation as WebhookDelivery,
  WebhookDeliveryWithBodyRepresentation as WebhookDeliveryWithBody,
  WebhookRepresentation as Webhook,
  WebhookWithSecretRepresentation as WebhookWithSecret,
} from '@burnish/contract';
export type { Listing } from '@burnish/contract';
export type {
  BatchEnhancementRepresentation as BatchEnhancement,
  ParametersRepresentation as EnhancementParameters,
  PdfOptions,
} from '@burnish/contract';
export type { FinishedPicture } from '@burnish/contract';
export type { EnhancementProgress } from '@burnish/contract';
export type { FailureCode } from '@burnish/contract';
