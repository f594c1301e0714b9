import { createHash } from 'node:crypto';
import {
  type Enhancement,
  enhancementEventData,
  uploadEventData,
  type EventKind,
  publicEventData,
  FAILURES,
  derivedId,
  type Labelled,
  type Upload,
} from '@burnish/contract';
import type { FormattedEvent } from '../../database/step.ts';
import { lostOriginalEntry } from '../../database/accounts/audit-log.ts';
import { OWN_WORK } from '../commands/workflow-commands.ts';
import { startDelivery } from '../webhooks/start-delivery.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

type FailDeps = Pick<ReconcileDeps, 'client' | 'uploads' | 'enhancements' | 'ledger' | 'deliveries' | 'audit' | 'now'>;

const LOST = {
  waitingFor: null,
  errorCode: 'ORIGINAL_MISSING',
  errorDetail: FAILURES.ORIGINAL_MISSING.sentence,
} as const;
const SENTENCE = `Failed with ORIGINAL_MISSING: ${LOST.errorDetail}`;

/**
 * Fails work that cannot be restarted: an upload with a lost file before it was finished, and open enhancements of a
 * lost original. It releases the credits and sends the owner an event. A repetition after a crash continues with the
 * next step.
 * @returns the upload after the change
 */
export async function failLost(
  deps: FailDeps,
  upload: Labelled<Upload>,
  open: readonly Enhancement[],
): Promise<Labelled<Upload>> {
  const finishedAt = new Date(deps.now()).toISOString();
  for (const enhancement of open) {
    const { accountId, id: enhancementId, revision } = enhancement;
    await deps.ledger.release({ accountId, enhancementId, nowMs: deps.now() });
    const ended: Enhancement = { ...enhancement, ...LOST, revision: revision + 1, status: 'ERROR', finishedAt };
    // Writes the record last: while it is open, a retry repeats all steps, and each step takes effect once.
    await tell(deps, upload, 'enhanced_image.status_update', { data: enhancementEventData(ended) }, enhancementId);
    if (await deps.enhancements.project(ended, null, SENTENCE)) await deps.audit.record(lostOriginalEntry(ended));
  }
  if (isFinished(upload)) return upload;
  const failed: Labelled<Upload> = {
    ...upload,
    ...LOST,
    revision: upload.revision + 1,
    status: 'UPLOAD_FAILED',
    subStatus: upload.subStatus === null ? null : 'METADATA_ANALYZED_FAILED',
    objectKey: null,
    finishedAt,
  };
  const kind = 'upload.status_update';
  const formats = { data: uploadEventData(failed), publicData: publicEventData(kind, failed) };
  await tell(deps, upload, kind, formats, upload.id);
  if (await deps.uploads.project(failed, SENTENCE)) await deps.audit.record(lostOriginalEntry(failed));
  return failed;
}

/** Whether the upload itself no longer needs its file. */
export function isFinished({ status, subStatus }: Upload): boolean {
  return status === 'UPLOAD_FAILED' || (status === 'UPLOAD_FINISHED' && subStatus !== 'METADATA_ANALYZING');
}

/** Records an event, the same at every repetition, and sends it. */
async function tell(
  { client, deliveries, now }: FailDeps,
  { id: uploadId, accountId, webhookUrl }: Upload,
  kind: EventKind,
  formats: Pick<FormattedEvent, 'data' | 'publicData'>,
  subjectId: string,
): Promise<void> {
  const id = derivedId('evt', createHash('sha256').update(`lost\n${subjectId}`).digest());
  const subject = {
    table: kind === 'enhanced_image.status_update' ? 'enhancements' : 'uploads',
    id: subjectId,
  } as const;
  const event = { id, event: kind, ...formats, created: new Date(now()).toISOString() };
  for (const { id: deliveryId, host } of await deliveries.recordEvent(accountId, event, webhookUrl, subject)) {
    await startDelivery(client, OWN_WORK, { deliveryId, accountId, uploadId, host, eventKind: kind }, 'after a loss');
  }
}
