import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy, TypedSearchAttributes } from '@temporalio/common';
import type { EnhancementRequest } from '../../domain/enhancement.ts';
import { initialEnhancement, initialUpload } from '../../domain/initial-states.ts';
import { mediaKind } from '../../domain/media.ts';
import { uploadWorkflowId } from '../../domain/messages.ts';
import {
  accountIdAttribute,
  enhancementIdAttribute,
  MAX_LISTED_ENHANCEMENTS,
  statusAttribute,
  typeAttribute,
  uploadIdAttribute,
} from '../../domain/search-attributes.ts';
import { MAIN_TASK_QUEUE } from '../../domain/task-queues.ts';
import type { Upload, UploadSource } from '../../domain/upload.ts';
import type { UploadInput } from '../../domain/workflow-inputs.ts';
import { orderedEnhancementId } from './ids.ts';
import { startOnce } from './start-once.ts';
import type { Caller, CommandDeps, UploadOrder, UploadWithEnhancements } from './types.ts';

export interface UploadStart {
  uploadId: string;
  source: UploadSource;
  originalFilename: string;
}

/**
 * Starts the workflow of an upload and makes its first state readable. A second start of the same id is a no-op.
 * When it returns, the workflow exists and its records can be read, with no worker at all.
 * @throws a passing Failure INTERNAL when the workflow service is away; whether it took the start is then unknown
 */
export async function startUpload(
  deps: Pick<CommandDeps, 'client' | 'uploads' | 'enhancements' | 'provider' | 'hosted' | 'now'>,
  { account }: Caller,
  order: UploadOrder,
  { uploadId, source, originalFilename }: UploadStart,
): Promise<UploadWithEnhancements> {
  const at = new Date(deps.now()).toISOString();
  const provider = order.provider ?? deps.provider;
  const initial = initialUpload({
    id: uploadId,
    account,
    source,
    originalFilename,
    provider,
    webhookUrl: order.webhookUrl,
    at,
  });
  const requests: EnhancementRequest[] = order.enhancements.map((each, index) => ({
    id: orderedEnhancementId(uploadId, index),
    ...each,
  }));
  const { fallback } = order;
  const hosted =
    provider === 'hosted' && deps.hosted !== null
      ? { hosted: { ...deps.hosted.policy, ...(fallback === undefined ? {} : { fallback }) } }
      : {};
  const input: UploadInput = { initial, source, plan: account.plan, enhancements: requests, ...hosted };
  // Under this id it may have been started before and have ended since: its record tells the rest.
  await startOnce(deps.client, 'upload', {
    workflowId: uploadWorkflowId(uploadId),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    requestEagerStart: true,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: searchAttributes(initial, requests),
    staticSummary: summaryOf(initial),
  });
  const enhancements = requests.map((request) => initialEnhancement(request, initial, at));
  await deps.uploads.project(initial);
  await Promise.all(enhancements.map((each) => deps.enhancements.project(each)));
  return { upload: initial, enhancements };
}

function searchAttributes(upload: Upload, ordered: readonly EnhancementRequest[]): TypedSearchAttributes {
  const ids = ordered.slice(-MAX_LISTED_ENHANCEMENTS).map(({ id }) => id);
  return new TypedSearchAttributes([
    { key: accountIdAttribute, value: upload.accountId },
    { key: uploadIdAttribute, value: upload.id },
    { key: statusAttribute, value: upload.status },
    { key: typeAttribute, value: upload.file === null ? 'unknown' : mediaKind(upload.file.mimetype) },
    ...(ids.length === 0 ? [] : [{ key: enhancementIdAttribute, value: ids }]),
  ]);
}

/** One line for people who look at the workflow, such as `photo.jpg · image/jpeg · 2.4 MB · account acc_…`. */
function summaryOf({ originalFilename, file, accountId }: Upload): string {
  const name = originalFilename.length > 80 ? `${originalFilename.slice(0, 79)}…` : originalFilename;
  const facts = file === null ? [] : [file.mimetype, `${(file.size / 1_000_000).toFixed(1)} MB`];
  return [name, ...facts, `account ${accountId}`].join(' · ');
}
