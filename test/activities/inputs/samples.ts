import { newDestination } from '@burnish/contract';
import type { HostedService } from '../../../src/activities/hosted/hosted-service.ts';
import type { Activities } from '../../../src/activities/index.ts';
import { initialBatch } from '../../../src/domain/batch/batch-rules.ts';
import { initialEnhancement } from '../../../src/domain/enhancement/new-enhancement.ts';
import { initialUpload } from '../../../src/domain/upload/new-upload.ts';
import { originalKey, resultKey } from '../../../src/domain/files/object-keys.ts';

type Every = Activities & HostedService;

export const idOf = (prefix: string, digit: number): string => `${prefix}_${String(digit).repeat(26)}`;
export const MINE = { accountId: idOf('acc', 1), uploadId: idOf('upl', 1), enhancementId: idOf('enh', 1) };
const { accountId, uploadId, enhancementId } = MINE;
const deliveryId = idOf('dlv', 1);
const batchId = idOf('bat', 1);
const at = '2026-01-02T03:04:05.678Z';
const sha256 = 'a'.repeat(64);

const objectKey = originalKey(accountId, uploadId);
const result = resultKey(accountId, uploadId, enhancementId);
const workKey = `${result}/work/0123456789abcdef`;
const file = { size: 20_000, sha256, mimetype: 'image/jpeg' } as const;
const source = { uploadId, objectKey, originalFilename: 'photo.jpg', ...file } as const;
const parameters = { upscalingFactor: 'X2', sharpening: 0.5 } as const;
const announce = {
  kind: 'upload.status_update',
  source: `upload/${uploadId}`,
  eventKey: 'revision-1',
  created: at,
} as const;

const upload = {
  ...initialUpload({
    id: uploadId,
    account: { id: accountId, retentionDays: 30 },
    source: { kind: 'stored', objectKey, file },
    originalFilename: 'photo.jpg',
    provider: 'local',
    webhookUrl: 'https://receiver.example/hook',
    at,
  }),
  analysis: {
    totalCredits: 2,
    statistics: {
      pages: 1,
      images: 2,
      colorEligible: 1,
      resizeEligible: 1,
      credits: { color: 1, resize: 1, colorAndResize: 2 },
    },
  },
};
const request = { id: enhancementId, parameters, maxCredits: 5, creditWaitMs: 0 };
const enhancement = {
  ...initialEnhancement(request, upload, at),
  result: { objectKey: result, ...file, originalSize: file.size, filename: 'photo.jpg', width: 640, height: 480 },
  engine: {
    version: '1',
    build: '1.0.0+0a1b2c3d4e5f',
    steps: ['tone'],
    notes: ['A note.'],
    models: ['fast'],
    uncertainPages: [2, 7],
    splitPages: [3, 4],
    durationMs: 12.5,
  },
};
const destination = {
  ...newDestination(
    { url: 'https://bucket.example/result.jpg?signature=s' },
    { uploadId, enhancementId, reference: null },
  ),
};
const plan = { name: 'Free', maxResolution: 300, fairnessWeight: 1 };
const sourceFacts = { sha256, mimetype: 'image/jpeg', plan } as const;
const step = {
  enhancement,
  sentence: 'Finished.',
  nowMs: 1_700_000_000_000,
  announce: { ...announce, webhookUrl: null },
};
const estimateJob = { enhancementId, source, parameters, plan } as const;
const hostedJob = { accountId, enhancementId, remoteUploadId: 'remote-1', mimetype: 'image/jpeg', parameters } as const;

/** A valid input of each activity, with a value in every field for a key, an id or a text. */
export const SAMPLES: { [Name in keyof Every]: Parameters<Every[Name]>[0] } = {
  recordUpload: {
    upload,
    sentence: 'Received.',
    announce: { ...announce, webhookUrl: 'https://receiver.example/hook' },
  },
  recordBatch: {
    batch: {
      ...initialBatch(
        {
          id: batchId,
          accountId,
          parameters,
          preset: null,
          destination: null,
          maxCredits: 5,
          samples: 20,
          reference: 'a',
        },
        at,
      ),
      pauseReason: 'budget',
      closedAt: at,
      approvedAt: at,
      finishedAt: at,
      prediction: { credits: 1, seconds: 2, failures: 3 },
    },
    announce: { kind: 'batch.ended', eventKey: 'batch.ended round-0', created: at },
  },
  advanceBatch: { batchId, accountId, parameters, preset: null, destination: null, maxCredits: 5, stage: 'all' },
  chooseBatchSamples: { batchId, samples: 20 },
  predictBatch: { accountId, batchId },
  retryBatchItems: { batchId, keys: ['shoes/one.jpg'] },
  beginEnhancement: { ...step, source: sourceFacts, reuse: true, credits: 3 },
  recordEnhancement: { ...step, source: sourceFacts, settle: { capture: 3 } },
  recordDestination: {
    enhancementId,
    uploadId,
    accountId,
    revision: 7,
    destination,
    waitingFor: 'destination',
    sentence: 'Away.',
    announce: { ...announce, webhookUrl: null },
  },
  writeToDestination: { accountId, uploadId, enhancementId, destination, result: enhancement.result },
  downloadUpload: { accountId, uploadId, url: 'https://pictures.example/photo.jpg', unnamed: false },
  readFromBucket: { accountId, uploadId, bucket: 'photos', key: 'in/1.jpg' },
  deleteUploadFiles: { accountId, uploadId },
  deleteResult: { objectKey: result },
  deleteWork: { resultKey: result },
  copyResult: {
    from: resultKey(accountId, idOf('upl', 9), idOf('enh', 9)),
    to: result,
    expected: { size: 20_000, sha256 },
  },
  adoptFile: { from: originalKey(accountId, idOf('upl', 9)), to: objectKey },
  joinParts: { accountId, uploadId },
  takeIncoming: { from: `${accountId}/${uploadId}/incoming`, to: objectKey },
  recordRedelivery: { accountId, deliveryId, redeliveryOf: idOf('dlv', 2) },
  attemptDelivery: { deliveryId, number: 1, nextAttemptAt: at },
  notifyReceivers: { deliveryIds: [deliveryId], nextAttemptAt: at },
  inspectImage: source,
  inspectLargeImage: source,
  analyze: source,
  estimate: estimateJob,
  enhance: { ...estimateJob, resultKey: result },
  inspectAndEnhance: { ...estimateJob, resultKey: result },
  enhancePdfSpan: { enhancementId, source, workKey, from: 0, to: 2 },
  assemblePdf: { ...estimateJob, resultKey: result, workKey, images: 2 },
  placeRemoteUpload: { accountId, source, size: 20_000, url: null, retentionDays: 30 },
  readRemoteUpload: { remoteUploadId: 'remote-1' },
  analyzeRemoteUpload: { remoteUploadId: 'remote-1' },
  readRemoteCredits: undefined,
  proveStores: undefined,
  proveDecoder: undefined,
  beginRemoteEnhancement: hostedJob,
  findLostEnhancement: { ...hostedJob, sinceMs: 1_700_000_000_000 },
  readRemoteEnhancement: { remoteEnhancementId: 'remote-2' },
  collectRemoteResult: { enhancementId, remoteEnhancementId: 'remote-2', source, resultKey: result },
  deleteRemoteUpload: { uploadId },
  claimSlot: { accountId, enhancementId },
  releaseSlot: { enhancementId },
};

/** Id of the workflow that runs the activity. */
export function workflowIdOf(name: string): string {
  if (/batch/i.test(name)) return `batch/${batchId}`;
  return name === 'recordRedelivery' || name === 'attemptDelivery' ? `delivery/${deliveryId}` : `upload/${uploadId}`;
}
