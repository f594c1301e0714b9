import { apiKeyOperations } from './api-keys/api-key-operations.ts';
import { archiveOperations } from './archives/archive-operations.ts';
import { auditOperations } from './audit/audit-operations.ts';
import { batchOperations } from './batches/batch-operations.ts';
import { creditOperations } from './credits/credit-operations.ts';
import { enhancementOperations } from './enhancements/enhancement-operations.ts';
import { eventOperations } from './events/event-operations.ts';
import { downloadOperations } from './files/download-file.ts';
import { healthOperations, versionOperations } from './health/health-operations.ts';
import { hostedWebhookOperations } from './hosted-webhooks/hosted-webhook-operations.ts';
import { lookOperations } from './looks/look-operations.ts';
import { metricsOperations } from './metrics/metrics-operations.ts';
import { bucketOperations } from './operator/bucket-operations.ts';
import { operatorOperations } from './operator/operator-operations.ts';
import { presetOperations } from './presets/preset-operations.ts';
import { previewOperations } from './previews/preview-operations.ts';
import { reportOperations } from './reports/report-operations.ts';
import { discoverTusOperations, resumableUploadOperations } from './resumable-uploads/resumable-upload-operations.ts';
import { settingsOperations } from './settings/settings-operations.ts';
import { putSignedFileOperations } from './signed-uploads/put-signed-file.ts';
import { signedUploadOperations } from './signed-uploads/signed-upload-operations.ts';
import { testClockOperations } from './test-clock/test-clock-operations.ts';
import { timelineOperations } from './uploads/timeline-operations.ts';
import { trialOperations } from './trials/trial-operations.ts';
import { uploadOperations } from './uploads/upload-operations.ts';
import { deliveryOperations } from './webhooks/delivery-operations.ts';
import { eventLogOperations } from './events/event-log-operations.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';

/** Operations that work without an API key. */
export const OPEN_OPERATIONS = [
  ...downloadOperations,
  ...putSignedFileOperations,
  ...discoverTusOperations,
  ...hostedWebhookOperations,
  ...healthOperations,
  ...metricsOperations,
];

/** Operations under `/v1`, which need an API key. */
export const KEYED_OPERATIONS = [
  ...uploadOperations,
  ...signedUploadOperations,
  ...resumableUploadOperations,
  ...eventOperations,
  ...timelineOperations,
  ...enhancementOperations,
  ...trialOperations,
  ...presetOperations,
  ...lookOperations,
  ...batchOperations,
  ...previewOperations,
  ...reportOperations,
  ...archiveOperations,
  ...creditOperations,
  ...apiKeyOperations,
  ...settingsOperations,
  ...auditOperations,
  ...versionOperations,
  ...webhookOperations,
  ...eventLogOperations,
  ...deliveryOperations,
  ...testClockOperations,
];

/** Operations under `/v1/operator`, which need the operator's key. */
export const OPERATOR_OPERATIONS = [...operatorOperations, ...bucketOperations];

/** All operations of the REST interface, in the order of its description. */
export const OPERATIONS = [...KEYED_OPERATIONS, ...OPEN_OPERATIONS, ...OPERATOR_OPERATIONS];
