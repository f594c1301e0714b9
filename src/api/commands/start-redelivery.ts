import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import type { LoggedDelivery } from '../../domain/delivery.ts';
import { deliveryWorkflowId } from '../../domain/messages.ts';
import { accountIdAttribute, typeAttribute } from '../../domain/search-attributes.ts';
import { MAIN_TASK_QUEUE } from '../../domain/task-queues.ts';
import type { DeliveryInput } from '../../domain/workflow-inputs.ts';
import { startOnce } from './start-once.ts';
import type { CommandDeps } from './types.ts';

/**
 * Starts the workflow of a delivery that repeats another one. The workflow enters itself into the log, so that the log and
 * what is sent agree whoever is killed; the entry is made here too, so that it can be read before a worker comes.
 */
export async function startRedelivery(
  { client, deliveries }: Pick<CommandDeps, 'client' | 'deliveries'>,
  { id, repeated }: { id: string; repeated: LoggedDelivery },
): Promise<void> {
  const { accountId, eventKind, url } = repeated;
  const { host } = new URL(url);
  const input: DeliveryInput = { deliveryId: id, accountId, host, eventKind, redeliveryOf: repeated.id };
  await startOnce(client, 'delivery', {
    workflowId: deliveryWorkflowId(id),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: accountIdAttribute, value: accountId },
      { key: typeAttribute, value: 'delivery' },
    ]),
    staticSummary: `${eventKind} to ${host}, again`,
  });
  await deliveries.recordRedelivery(accountId, id, repeated.id);
}
