import { SCOPE_WORDS } from '../../domain/accounts/scopes.ts';
import type { ENHANCEMENT_STATUSES } from '../../domain/enhancement/enhancement.ts';
import type { ParameterField } from '../../domain/enhancement/parameter-field.ts';
import { PARAMETERS } from '../../domain/enhancement/parameter-table.ts';
import { FAILURES } from '../../domain/failures.ts';
import type { WaitingFor } from '../../domain/machinery.ts';
import { builder } from './builder.ts';

type Descriptions<Value extends string> = Record<Value, string>;

/** An enum with a description for each value. A new value of the domain without a description fails the build. */
function describedEnum<Value extends string>(name: string, description: string, values: Descriptions<Value>) {
  const described = Object.entries<string>(values).map(([value, text]) => [value, { description: text }] as const);
  const options = { description, values: Object.fromEntries(described) as Record<Value, { description: string }> };
  return builder.enumType<string, Record<Value, { description: string }>>(name, options);
}

export const UploadStatus = describedEnum('UploadStatus', 'How far an upload is.', {
  UPLOAD_PENDING: 'A signed upload URL has been handed out and no bytes have come yet.',
  UPLOAD_PROCESSING: 'The file is being fetched or verified.',
  UPLOAD_FINISHED: 'The file is stored. The analysis of a PDF follows, see `subStatus`.',
  UPLOAD_FAILED: 'The file cannot be used; `errorCode` says why, and nothing of it is kept.',
  UPLOAD_DELETED: 'Deleted by request or when its retention had passed; this record stays.',
});

export const UploadSubStatus = describedEnum('UploadSubStatus', 'How far the analysis of a PDF is.', {
  METADATA_ANALYZING: 'The images in the PDF are being looked at.',
  METADATA_ANALYZED_SUCCESSFULLY: '`metadata` is there, and enhancements can be created.',
  METADATA_ANALYZED_FAILED: 'The analysis failed, after retries; `analyzePdf` runs it again.',
});

export const EnhancedImageStatus = describedEnum<(typeof ENHANCEMENT_STATUSES)[number]>(
  'EnhancedImageStatus',
  'How far an enhancement is. FINISHED, ERROR and CANCELLED are final.',
  {
    QUEUED: 'Accepted, and waiting for its turn.',
    AWAITING_APPROVAL: 'Its estimate is above `maxCredits`: it waits to be approved or rejected, for 7 days.',
    AWAITING_CREDITS: 'There are too few credits. It continues by itself when there are enough, within `creditWait`.',
    PROCESSING: 'The engine is at it.',
    FINISHED: 'Done; `fullUrl` is there.',
    ERROR: 'Ended in error; `errorCode` says why. Nothing is charged.',
    CANCELLED: 'Cancelled by request or with its upload. Nothing is charged.',
  },
);

export const ErrorCode = describedEnum(
  'ErrorCode',
  'The one list of refusals and errors; also `extensions.code` of GraphQL errors.',
  Object.fromEntries(
    Object.entries(FAILURES).map(([code, { sentence, retryable }]) => [
      code,
      `${sentence} ${retryable ? 'Trying again can help.' : 'Trying again does not help.'}`,
    ]),
  ) as Descriptions<keyof typeof FAILURES>,
);

export const WaitingForEnum = describedEnum<WaitingFor>('WaitingFor', 'What an upload or an enhancement waits for.', {
  storage: 'Storage, where the files are.',
  database: 'The database, where the records are.',
  disk: 'Room on a disk.',
  memory: 'Memory of the machine.',
  worker: 'A worker that takes it on.',
  hosted: 'The hosted service that does the work.',
  credits: 'Credits; it continues by itself when there are enough.',
  approval: 'The approval of its estimate.',
});

export const Preset = describedEnum(
  'EnhancedImageParametersPreset',
  'Other names of the modes, as the public service has.',
  {
    DEFAULT: 'As the mode ENHANCE.',
    ENHANCE: 'As the mode ENHANCE.',
    NATURAL: 'As the mode NATURAL.',
    VIVID: 'As the mode VIVID.',
    OFF: 'As the mode OFF.',
  },
);

/** The enums of parameters with fixed choices, by the parameter's name. */
export const PARAMETER_ENUMS = Object.fromEntries(
  Object.entries<ParameterField>(PARAMETERS).flatMap(([name, field]) =>
    field.type === 'choice'
      ? [[name, describedEnum(field.enumType.name, field.enumType.description, field.values)]]
      : [],
  ),
);

export const DeletionReason = describedEnum('UploadDeletionReason', 'Why an upload was deleted.', {
  user: 'By request.',
  retention: 'Its retention had passed.',
});

export const WebhookDisabledReason = describedEnum('WebhookDisabledReason', 'Why an endpoint is disabled.', {
  gone: 'The receiver answered 410.',
  failing: 'All attempts failed for five days.',
  request: 'By request.',
});

export const DeliveryStatus = describedEnum('WebhookDeliveryStatus', 'How far a delivery is.', {
  PENDING: 'Attempts go on.',
  DELIVERED: 'An attempt was answered with 2xx.',
  FAILED: 'Given up: after the last attempt, or because the endpoint is gone.',
});

export const DeliveryOutcome = describedEnum('WebhookAttemptOutcome', 'What an attempt came to.', {
  delivered: 'Answered with 2xx.',
  failed: 'Answered with anything else, a redirect included, or not at all.',
  gone: 'Answered with 410: the endpoint is disabled.',
});

export const ProviderEnum = describedEnum('Provider', 'Provider of enhancements.', {
  LOCAL: 'The engine of this instance.',
  HOSTED: 'The hosted service that this instance uses.',
});

export const FallbackEnum = describedEnum('Fallback', 'Provider that takes over when the hosted service stays away.', {
  NONE: 'Nobody: the work waits, and fails with PROVIDER_UNAVAILABLE when that takes too long.',
  LOCAL: 'The engine of this instance; `provider` then says so.',
});

export const ApiKeyScope = describedEnum('ApiKeyScope', 'What an API key may do; none includes another.', SCOPE_WORDS);

export const PriorityEnum = describedEnum('Priority', 'The turn of work where more waits than can be done at once.', {
  STANDARD: 'Before work of BATCH, of other accounts too.',
  BATCH: 'One of many: all STANDARD work goes first.',
});
