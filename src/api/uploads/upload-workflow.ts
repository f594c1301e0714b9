import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { mediaKind } from '../../domain/upload/media.ts';
import { uploadWorkflowId } from '../../domain/temporal/messages.ts';
import { priorityOf } from '../../domain/temporal/priorities.ts';
import {
  accountIdAttribute,
  enhancementIdAttribute,
  MAX_LISTED_ENHANCEMENTS,
  statusAttribute,
  typeAttribute,
  uploadIdAttribute,
} from '../../domain/temporal/search-attributes.ts';
import { MAIN_TASK_QUEUE } from '../../domain/temporal/task-queues.ts';
import type { Upload } from '../../domain/upload/upload.ts';
import type { UploadInput } from '../../domain/temporal/workflow-inputs.ts';
import type { StartOptions } from '../commands/start-workflow.ts';

export interface UploadWorkflowOptions {
  /** One that has ended under this id is followed by another */
  again?: boolean;
}

/** How the workflow of an upload is started. */
export function uploadWorkflow(input: UploadInput, { again = false }: UploadWorkflowOptions = {}): StartOptions {
  const { initial, urgency = 'single' } = input;
  return {
    workflowId: uploadWorkflowId(initial.id),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    requestEagerStart: true,
    workflowIdReusePolicy: again ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: searchAttributes(input),
    staticSummary: summaryOf(initial),
    priority: priorityOf(initial.accountId, input.plan, urgency),
  };
}

function searchAttributes({ initial: upload, enhancements, resume = [] }: UploadInput): TypedSearchAttributes {
  const ids = [...enhancements, ...resume].slice(-MAX_LISTED_ENHANCEMENTS).map(({ id }) => id);
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
