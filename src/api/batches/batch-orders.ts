import { bucketRemoved, Failure, type Enhancement, type Upload } from '@burnish/contract';
import { toObjectKey, type BatchOwner, type ItemOrder } from '../../domain/batch/batch-rules.ts';
import {
  approveEnhancement,
  cancelEnhancement,
  uploadWorkflowId,
  type EnhancementSubject,
} from '../../domain/temporal/workflow-interface.ts';
import type { UpdateDefinition } from '@temporalio/common';
import { ALL_POWERS, requireRecord } from '../commands/checks.ts';
import type { Caller, EnhancementOrder } from '../commands/command-types.ts';
import { updateIdFor } from '../commands/idempotency.ts';
import { sendUpdate } from '../commands/workflow-commands.ts';
import { createEnhancementCommands, type EnhancementCommandDeps } from '../enhancements/enhancement-commands.ts';
import { NO_ESTIMATE } from '../enhancements/estimate-command.ts';
import { createUploadCommands, type UploadCommandDeps, type UploadCommands } from '../uploads/upload-commands.ts';

interface Subject {
  uploadId: string;
  enhancementId: string;
}

/** Starts the items of batches by the commands of single uploads. The key of an attempt makes its start idempotent. */
export function createBatchOrders(deps: UploadCommandDeps & EnhancementCommandDeps) {
  const uploadCommands = createUploadCommands(deps);
  // A command estimates large PDFs before it accepts them. The workflow of the upload does so too.
  const enhancementCommands = createEnhancementCommands(deps, { estimate: () => Promise.resolve(NO_ESTIMATE) });

  async function send(
    update: UpdateDefinition<Enhancement | null, [EnhancementSubject]>,
    permitOf: string,
    { uploadId, enhancementId }: Subject,
  ): Promise<void> {
    const updateId = updateIdFor('', `${update.name} ${enhancementId}`, 'batch');
    const workflowId = uploadWorkflowId(uploadId);
    const call = { permitOf, workflowId, update, args: [{ enhancementId }] as [EnhancementSubject], updateId };
    await sendUpdate(deps.client, call, deps.commandWaitMs);
  }

  async function fromBucket(...order: Parameters<UploadCommands['createUploadFromBucket']>) {
    const [{ account }, { bucket }] = order;
    if (!(await deps.buckets.has(account.id, bucket))) throw bucketRemoved(bucket);
    return uploadCommands.createUploadFromBucket(...order);
  }

  return {
    async start(
      { account, plan, keyId }: BatchOwner,
      { item, parameters, preset, destination, maxCredits }: ItemOrder,
    ): Promise<{ uploadId: string; enhancementId: string } | undefined> {
      const caller: Caller = { account, plan, ...ALL_POWERS, keyId: keyId ?? '', address: null };
      const { url, bucket = null, uploadId, reference } = item;
      const labels = reference === null ? {} : { reference };
      // A batch without credits pauses, so its items do not wait for them.
      const order: EnhancementOrder = {
        ...{ parameters, maxCredits, creditWaitMs: 0, urgency: 'batch' as const },
        ...(preset ? { appliedPreset: preset } : {}),
        ...(destination ? { destination } : {}),
        ...labels,
      };
      // The space keeps it distinct from every key that a caller can send.
      const key = `batch ${item.batchId} ${item.position} ${item.attempt}`;
      if (url === null && bucket === null) {
        const upload = requireRecord(uploadId === null ? undefined : await deps.uploads.get(account.id, uploadId));
        if (!isReady(upload)) return undefined;
        const [ordered] = await enhancementCommands.requestEnhancements(caller, upload.id, [order], key);
        return { uploadId: upload.id, enhancementId: ordered!.id };
      }
      const uploadOrder = {
        filename: null,
        enhancements: [order],
        webhookUrl: null,
        urgency: 'batch' as const,
        ...labels,
      };
      const uploadKey = { key, made: false };
      const { upload, enhancements } =
        bucket === null
          ? await uploadCommands.createUploadFromUrl(caller, { ...uploadOrder, url: url! }, uploadKey)
          : await fromBucket(caller, { ...uploadOrder, bucket, key: toObjectKey(bucket, item) }, uploadKey);
      const [enhancement] = enhancements;
      return enhancement && { uploadId: upload.id, enhancementId: enhancement.id };
    },
    approve: (accountId: string, subject: Subject) => send(approveEnhancement, accountId, subject),
    cancel: (accountId: string, subject: Subject) => send(cancelEnhancement, accountId, subject),
  };
}

/** Whether an upload accepts an enhancement. @throws Failure when it never will */
function isReady({ status, subStatus, errorCode, errorDetail }: Upload): boolean {
  if (status === 'UPLOAD_DELETED') throw new Failure('NOT_FOUND');
  if (status === 'UPLOAD_FAILED' || subStatus === 'METADATA_ANALYZED_FAILED') {
    throw new Failure(errorCode ?? 'INTERNAL', { retryable: false, ...(errorDetail && { detail: errorDetail }) });
  }
  return status === 'UPLOAD_FINISHED' && subStatus !== 'METADATA_ANALYZING';
}
