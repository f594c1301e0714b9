/*
 * The answers that the pages read, by the short names that the pages have for them.
 */
export type {
  ApiKeyRepresentation as ApiKey,
  ApiKeyWithSecretRepresentation as ApiKeyWithSecret,
  AuditEntryRepresentation as AuditEntry,
  CreditsRepresentation as Credits,
  LedgerLineRepresentation as LedgerLine,
  OperatorSessionRepresentation as OperatorSession,
  SessionRepresentation as Session,
  SettingsRepresentation as Settings,
} from '../../domain/representations/account.ts';
export type { EnhancementRepresentation as Enhancement } from '../../domain/representations/enhancement.ts';
export type { AccountRepresentation as Account } from '../../domain/representations/operator.ts';
export type { Listing } from '../../domain/representations/listing.ts';
export type {
  TimelineEntryRepresentation as TimelineEntry,
  UploadRepresentation as Upload,
  UploadWithEnhancementsRepresentation as UploadWithEnhancements,
} from '../../domain/representations/upload.ts';
export type {
  WebhookDeliveryRepresentation as WebhookDelivery,
  WebhookRepresentation as Webhook,
  WebhookWithSecretRepresentation as WebhookWithSecret,
} from '../../domain/representations/webhook.ts';
