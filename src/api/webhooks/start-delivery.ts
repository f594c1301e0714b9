import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import {
  deliveryWorkflowId,
  accountIdAttribute,
  statusAttribute,
  typeAttribute,
  uploadIdAttribute,
  MAIN_TASK_QUEUE,
  type DeliveryInput,
} from '../../domain/temporal/workflow-interface.ts';
import { isId } from '../../domain/ids.ts';
import type { LoggedDelivery } from '../../domain/events/delivery.ts';
import type { CommandDeps, TemporalClient } from '../commands/command-types.ts';
import { startOnce } from '../commands/start-workflow.ts';

/**
 * Starts the workflow of a delivery on request.
 * @param turnOf the account whose turn the start takes, or `OWN_WORK`
 * @param why suffix of its summary in the Web UI, such as `again`
 */
export async function startDelivery(
  client: TemporalClient,
  turnOf: string,
  input: DeliveryInput,
  why: string,
): Promise<void> {
  await startOnce(client, turnOf, 'delivery', {
    workflowId: deliveryWorkflowId(input.deliveryId),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    priority: { fairnessKey: input.accountId },
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: accountIdAttribute, value: input.accountId },
      ...(input.uploadId === undefined ? [] : [{ key: uploadIdAttribute, value: input.uploadId }]),
      { key: statusAttribute, value: 'PENDING' },
      { key: typeAttribute, value: 'delivery' },
    ]),
    staticSummary: `${input.eventKind} to ${input.host}, ${why}`,
  });
}

/**
 * Repeats a delivery: a listener gets it in its queue, and another receiver by a workflow. The workflow writes the log entry, so that a crash here
 * leaves no delivery without one. This function also writes it, so that it can be read before a worker runs.
 */
export async function startRedelivery(
  { client, deliveries }: Pick<CommandDeps, 'client' | 'deliveries'>,
  { id, repeated }: { id: string; repeated: LoggedDelivery },
): Promise<void> {
  const { accountId, endpointId, eventKind, url, uploadId } = repeated;
  if (endpointId !== null && isId('lsn', endpointId)) {
    await deliveries.recordRedelivery(accountId, id, repeated.id);
    return;
  }
  const { host } = new URL(url);
  const about = uploadId === null ? {} : { uploadId };
  const input = { deliveryId: id, accountId, ...about, host, eventKind, redeliveryOf: repeated.id };
  await startDelivery(client, accountId, input, 'again');
  await deliveries.recordRedelivery(accountId, id, repeated.id);
}
