import type { z } from 'zod';
import { type SentEventKind, TEST_EVENT_KIND } from '@burnish/contract';
import type { EVENT_DATA } from './event-data.ts';

const ID = '01jz8k3v5wq4m2n7p9r6s8t0xy';
const AT = '2026-01-31T09:30:00.000Z';
const labels = { reference: 'order-4711', customMetadata: { customer: 'c-17' } };
const upload = { id: `upl_${ID}`, status: 'UPLOAD_FINISHED', subStatus: null, metadata: null } as const;
const counts = { items: 200, pending: 180, running: 0, finished: 20, failed: 0, cancelled: 0 };
const batch = {
  id: `bat_${ID}`,
  status: 'APPROVAL_NEEDED',
  pauseReason: null,
  reference: 'order-4711',
  counts,
  chargedCredits: 80,
  maxCredits: null,
  prediction: { credits: 800, seconds: 130, failures: 0 },
} as const;

/** Data of each kind of event, as the documents show it. */
export const EVENT_EXAMPLES: { [Kind in SentEventKind]: z.infer<(typeof EVENT_DATA)[Kind]> } = {
  'upload.status_update': { ...upload, errorCode: null, ...labels },
  'upload.sub_status_update': {
    ...upload,
    subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
    metadata: {
      totalCredits: 12,
      statistics: {
        pages: 8,
        images: 3,
        colorEligible: 3,
        resizeEligible: 3,
        credits: { color: 3, resize: 12, colorAndResize: 12 },
      },
    },
    ...labels,
  },
  'enhanced_image.status_update': {
    id: `enh_${ID}`,
    uploadId: `upl_${ID}`,
    status: 'FINISHED',
    filename: 'photo.jpg',
    engineDuration: 840,
    estimatedCredits: 4,
    chargedCredits: 4,
    unchanged: false,
    errorCode: null,
    destination: null,
    ...labels,
  },
  'credits.low': {
    level: 20,
    grantedCreditsThisPeriod: 1000,
    remainingCreditsThisPeriod: 196,
    periodStart: '2026-01-01T00:00:00.000Z',
    periodEnd: '2026-02-01T00:00:00.000Z',
  },
  'webhook.disabled': { id: `whk_${ID}`, disabledReason: 'gone', disabledAt: AT, failingSince: null },
  'upload.deleted': { id: `upl_${ID}`, status: 'UPLOAD_DELETED', reason: 'user', deletedAt: AT, ...labels },
  'batch.approval_needed': batch,
  'batch.half_done': {
    ...batch,
    status: 'RUNNING',
    counts: { ...counts, pending: 96, running: 4, finished: 100 },
    chargedCredits: 400,
  },
  'batch.trouble': { ...batch, status: 'PAUSED', pauseReason: 'credits' },
  'batch.ended': {
    ...batch,
    status: 'FINISHED',
    counts: { ...counts, pending: 0, finished: 200 },
    chargedCredits: 800,
  },
  [TEST_EVENT_KIND]: { webhookId: `whk_${ID}`, message: 'A requested test event.' },
};
