import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { deliveryWorkflowId } from '../../domain/temporal/messages.ts';
import { accountIdAttribute, typeAttribute } from '../../domain/temporal/search-attributes.ts';
import { MAIN_TASK_QUEUE } from '../../domain/temporal/task-queues.ts';
import type { DeliveryInput } from '../../domain/temporal/workflow-inputs.ts';
import type { TemporalClient } from '../ports.ts';
import { startOnce } from '../commands/start-workflow.ts';

/** Starts the workflow of a delivery that somebody asked for. @param why ends its line in the Web UI, such as `again` */
export async function startDelivery(client: TemporalClient, input: DeliveryInput, why: string): Promise<void> {
  await startOnce(client, 'delivery', {
    workflowId: deliveryWorkflowId(input.deliveryId),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: accountIdAttribute, value: input.accountId },
      { key: typeAttribute, value: 'delivery' },
    ]),
    staticSummary: `${input.eventKind} to ${input.host}, ${why}`,
  });
}
