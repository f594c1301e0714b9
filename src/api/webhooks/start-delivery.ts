import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { deliveryWorkflowId, MAIN_TASK_QUEUE, type DeliveryInput } from '../../domain/temporal/workflow-interface.ts';
import {
  accountIdAttribute,
  statusAttribute,
  typeAttribute,
  uploadIdAttribute,
} from '../../domain/temporal/search-attributes.ts';
import type { DeliveryAttempt, LoggedDelivery } from '../../domain/events/delivery.ts';
import type { Deliveries } from '../../database/webhooks/deliveries.ts';
import type { ReleasedDelivery } from '../../database/webhooks/held-deliveries.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import { startOnce, OWN_WORK } from '../commands/workflow-commands.ts';

/**
 * Starts the workflow of a delivery, unless it has one, or had one that completed.
 * @param permitOf the account whose permit the start takes, or `OWN_WORK`
 * @param why suffix of its summary in the Web UI, such as `again`
 */
export async function startDelivery(
  client: TemporalClient,
  permitOf: string,
  input: DeliveryInput,
  why: string,
): Promise<void> {
  await startOnce(client, permitOf, 'delivery', {
    workflowId: deliveryWorkflowId(input.deliveryId),
    taskQueue: MAIN_TASK_QUEUE,
    args: [input],
    priority: { fairnessKey: input.accountId },
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
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

/** Starts the workflow of a recorded delivery, as `startDelivery` does. It goes on after the attempts in the log. */
export async function continueDelivery(
  { client, deliveries }: { client: TemporalClient; deliveries: Pick<Deliveries, 'attempts'> },
  { deliveryId, accountId, host, eventKind, uploadId, attempts }: ReleasedDelivery,
  why: string,
): Promise<void> {
  const about = uploadId === null ? {} : { uploadId };
  const logged = attempts === 0 ? [] : (await deliveries.attempts(accountId, [deliveryId])).get(deliveryId)!;
  const input = { deliveryId, accountId, ...about, host, eventKind, ...earlierAttempts(logged) };
  await startDelivery(client, OWN_WORK, input, why);
}

function earlierAttempts(logged: readonly DeliveryAttempt[]): Pick<DeliveryInput, 'attempted'> {
  const [first, last] = [logged[0], logged.at(-1)];
  if (first === undefined || last === undefined) return {};
  const { at, number: count, retryAfterMs } = last;
  // Another process wrote the time, and its clock may be ahead.
  const left =
    retryAfterMs === null ? null : Math.min(retryAfterMs, Math.max(0, Date.parse(at) + retryAfterMs - Date.now()));
  return { attempted: { atMs: Date.parse(first.at), retryAfterMs: left, count } };
}

/**
 * Repeats a delivery by a workflow. The workflow writes the log entry, so that a crash here
 * leaves no delivery without one. This function also writes it, so that it can be read before a worker runs.
 */
export async function startRedelivery(
  { client, deliveries }: { client: TemporalClient; deliveries: Deliveries },
  { id, repeated }: { id: string; repeated: LoggedDelivery },
): Promise<void> {
  const { accountId, eventKind, url, uploadId } = repeated;
  const { host } = new URL(url);
  const about = uploadId === null ? {} : { uploadId };
  const input = { deliveryId: id, accountId, ...about, host, eventKind, redeliveryOf: repeated.id };
  await startDelivery(client, accountId, input, 'again');
  await deliveries.recordRedelivery(accountId, id, repeated.id);
}
