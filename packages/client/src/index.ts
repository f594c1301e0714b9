/** The public interface of `@burnish/client`. */
export { Burnish, type BurnishOptions, type EnhancedFile, type EnhanceOptions } from './burnish.ts';
export { BurnishError, type BurnishErrorCode } from './burnish-error.ts';
export type {
  DestinationOrder,
  EnhancementFilter,
  EnhancementOrder,
  Enhancements,
  NewEnhancements,
  NewTrial,
} from './enhancements.ts';
export type { FileSource } from './file-source.ts';
export type { FollowOptions, UploadEvent } from './follow-upload.ts';
export type { ListenOptions, Receive } from './listen.ts';
export { forwardTo, type ForwardOptions, type ReceiverAnswer } from './forward-to.ts';
export type { ListOptions } from './listing.ts';
export type { CallOptions, Method, Progress } from './transport.ts';
export type * from './types.ts';
export type { BucketSource, FileUploadOptions, UploadFilter, UploadOptions, Uploads } from './uploads.ts';
export { sameOrigin } from './same-origin.ts';
export { verifyWebhook, type RawRequest, type WebhookEvent, type WebhookEventData } from './verify-webhook.ts';
export type { Batches, NewBatch, NewBatchItem } from './batches.ts';
export type { Webhooks } from './webhooks.ts';
