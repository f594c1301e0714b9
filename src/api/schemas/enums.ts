import { z } from 'zod';
import {
  SCOPE_WORDS,
  type EnhancementStatus,
  type DisabledReason,
  type WebhookFormat,
  OUTAGES,
  type WaitingFor,
  type DeletionReason,
  type UploadStatus,
  type UploadSubStatus,
} from '@burnish/contract';
import type { DeliveryAttempt, DeliveryStatus } from '../../domain/events/delivery.ts';

export interface DescribedEnum<Value extends string> {
  /** Name of the component in OpenAPI */
  readonly id: string;
  readonly description: string;
  readonly values: Readonly<Record<Value, string>>;
  /** For REST; its description lists the values */
  readonly schema: z.ZodEnum<{ [Name in Value]: Name }>;
}

const DESCRIBED_ENUMS = new Map<z.core.$ZodType, Omit<DescribedEnum<string>, 'schema'>>();

/** The values of an enum with their descriptions, by its schema. */
export const findDescribedEnum = (schema: z.core.$ZodType): Omit<DescribedEnum<string>, 'schema'> | undefined =>
  DESCRIBED_ENUMS.get(schema);

/** A new value of the domain without a description fails the build. @param id name of the component in OpenAPI */
export function describedEnum<Value extends string>(
  id: string,
  description: string,
  values: Record<Value, string>,
): DescribedEnum<Value> {
  const list = Object.entries<string>(values).map(([value, text]) => `- \`${value}\`: ${text}`);
  const schema = z
    .enum(Object.keys(values) as [Value, ...Value[]])
    .meta({ id, description: [description, list.join('\n')].join('\n\n') });
  DESCRIBED_ENUMS.set(schema, { id, description, values });
  return { id, description, values, schema };
}

export const uploadStatus = describedEnum<UploadStatus>('UploadStatus', 'Upload status.', {
  UPLOAD_PENDING: 'Burnish waits for the file, by signed URL or by tus.',
  UPLOAD_PROCESSING: 'Burnish receives, downloads or verifies the file.',
  UPLOAD_FINISHED: 'The file is stored. The analysis of a PDF follows; see `subStatus`.',
  UPLOAD_FAILED:
    'The upload failed; `errorCode` gives the reason. An unusable file is deleted at once. Any other file is kept until its retention ends.',
  UPLOAD_DELETED: 'The file was deleted on request or after its retention. The record remains.',
});

export const uploadSubStatus = describedEnum<UploadSubStatus>('UploadSubStatus', 'Status of the analysis of a PDF.', {
  METADATA_ANALYZING: 'The analysis waits or runs.',
  METADATA_ANALYZED_SUCCESSFULLY: 'The analysis has finished: `metadata` is set, and enhancements can be created.',
  METADATA_ANALYZED_FAILED: 'The analysis failed; `errorCode` gives the reason. A new analysis can be requested.',
});

export const enhancementStatus = describedEnum<EnhancementStatus>(
  'EnhancementStatus',
  'Enhancement status. FINISHED, ERROR and CANCELLED are final.',
  {
    QUEUED: 'Accepted and queued.',
    AWAITING_APPROVAL:
      'The estimate exceeds `maxCredits`, or the order drops pages. It can be approved or rejected within 7 days.',
    AWAITING_CREDITS: 'The account has too few credits. The enhancement continues when credits are added in time.',
    PROCESSING: 'Processing.',
    FINISHED: 'Finished; `fullUrl` is set.',
    ERROR: 'Failed; `errorCode` gives the reason. Nothing is charged.',
    CANCELLED: 'Cancelled on request or with its upload. Nothing is charged.',
  },
);

export const waitingForEnum = describedEnum<WaitingFor>('WaitingFor', 'Reason why an upload or an enhancement waits.', {
  storage: OUTAGES.storage.sentence,
  database: OUTAGES.database.sentence,
  disk: OUTAGES.disk.sentence,
  memory: OUTAGES.memory.sentence,
  worker: OUTAGES.worker.sentence,
  bucket: OUTAGES.bucket.sentence,
  hosted: 'The hosted service is unavailable.',
  credits: 'The account has too few credits.',
  approval: 'The order needs approval.',
  destination: 'The destination of a finished result does not answer. Burnish tries for a day.',
});

export const deletionReason = describedEnum<DeletionReason>('UploadDeletionReason', 'Reason of a deletion.', {
  user: 'Request of the account.',
  retention: 'End of the retention.',
});

export const webhookFormat = describedEnum<WebhookFormat>('WebhookFormat', 'Data of the events of an endpoint.', {
  BURNISH: 'The data that this description lists.',
  PUBLIC:
    'For clients of the public service: `upload.status_update` and `upload.sub_status_update` have its 11 fields, and `x-viesus-cloud-signature` has the hex HMAC-SHA256 of the body.',
});

export const disabledReason = describedEnum<DisabledReason>(
  'WebhookDisabledReason',
  'Reason why an endpoint is disabled.',
  {
    gone: 'The receiver answered 410.',
    failing: 'All attempts failed for five days.',
    request: 'Request of the account.',
  },
);

export const deliveryStatus = describedEnum<DeliveryStatus>('WebhookDeliveryStatus', 'Delivery status.', {
  PENDING: 'The first attempt or retries are pending.',
  DELIVERED: 'An attempt succeeded.',
  FAILED: 'The last attempt failed, or the endpoint is disabled or deleted.',
});

export const attemptOutcome = describedEnum<DeliveryAttempt['outcome']>('WebhookAttemptOutcome', 'Attempt result.', {
  delivered: 'The receiver answered 2xx.',
  failed: 'The receiver did not answer, or answered with a redirect or an error.',
  gone: 'The receiver answered 410, which disables the endpoint.',
});

export const provider = describedEnum('Provider', 'Provider of enhancements.', {
  LOCAL: 'The engine of this instance.',
  HOSTED: 'The hosted service that this instance uses.',
  TEST: 'Only for test keys: small fixed results, and outcomes on request.',
});

export const fallback = describedEnum('Fallback', 'Provider that takes over while the hosted service is unavailable.', {
  NONE: 'No provider takes over: the work waits, and fails with PROVIDER_UNAVAILABLE after a time limit.',
  LOCAL: 'The engine of this instance takes over; `provider` becomes LOCAL.',
});

export const apiKeyScope = describedEnum(
  'ApiKeyScope',
  'Operations that an API key permits. No scope includes another.',
  SCOPE_WORDS,
);

export const priority = describedEnum('Priority', 'Priority in full queues.', {
  STANDARD: 'Runs before all BATCH work, including the work of other accounts.',
  BATCH: 'Runs after all STANDARD work, including the work of other accounts.',
});
