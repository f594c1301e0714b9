import { TypedSearchAttributes, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/common';
import { hasEnded, type Batch, type CountedBatch } from '@burnish/contract';
import { withoutCounts } from '../../domain/batch/batch-rules.ts';
import {
  accountIdAttribute,
  referenceAttribute,
  statusAttribute,
  typeAttribute,
} from '../../domain/temporal/search-attributes.ts';
import * as messages from '../../domain/temporal/workflow-interface.ts';
import type { Caller, TemporalClient } from '../commands/command-types.ts';
import {
  sendUpdate,
  type UpdateCall,
  type UpdateOutcome,
  startOnce,
  type StartOptions,
} from '../commands/workflow-commands.ts';
import type { Batches } from '../../database/batches/batches.ts';

interface SendDeps {
  client: TemporalClient;
  batches: Batches;
  /** Maximum duration of a command, in milliseconds */
  commandWaitMs: number;
}

/**
 * Starts the workflow of a batch, unless it runs.
 * @param permitOf the account whose permit the start takes, or `OWN_WORK`
 * @throws a temporary Failure when the workflow service is unavailable
 */
export const startBatch = (
  client: TemporalClient,
  permitOf: string,
  batch: CountedBatch,
  plan: Caller['plan'],
): Promise<void> => startOnce(client, permitOf, 'batch', batchWorkflow(batch, plan));

/**
 * Sends a command to the workflow of a batch, and starts a workflow that was lost, also as the command arrives. `retryBatch` also
 * starts one that has ended.
 * @throws Failure as `sendUpdate`
 */
export async function sendToBatch<Args extends unknown[]>(
  { client, batches, commandWaitMs }: SendDeps,
  { batch, plan }: { batch: CountedBatch; plan: Caller['plan'] },
  command: Omit<UpdateCall<Batch, Args>, 'workflowId' | 'permitOf'>,
): Promise<UpdateOutcome<Batch>> {
  const restarts = command.update === (messages.retryBatch as unknown);
  const permitOf = batch.accountId;
  const call = { ...command, permitOf, workflowId: messages.batchWorkflowId(batch.id) };
  const giveUpAt = performance.now() + commandWaitMs;
  for (let now = batch; ;) {
    if (restarts || !hasEnded(now)) await startBatch(client, permitOf, now, plan);
    const outcome = await sendUpdate(client, call, giveUpAt - performance.now());
    if (outcome.kind !== 'ended' || performance.now() > giveUpAt) return outcome;
    const later = await batches.get(batch.accountId, batch.id);
    if (later === undefined || (restarts ? later.status === 'CANCELLED' : hasEnded(later))) return outcome;
    now = later;
  }
}

/** The start options of a batch's workflow. It continues from the record, also after a loss of its workflow. */
function batchWorkflow(batch: CountedBatch, plan: Caller['plan']): StartOptions {
  const { id, accountId, status, reference } = batch;
  const input: messages.BatchInput = { initial: withoutCounts(batch) };
  return {
    workflowId: messages.batchWorkflowId(id),
    taskQueue: messages.MAIN_TASK_QUEUE,
    args: [input],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: accountIdAttribute, value: accountId },
      { key: statusAttribute, value: status },
      { key: typeAttribute, value: 'batch' },
      ...(reference === null ? [] : [{ key: referenceAttribute, value: [reference] }]),
    ]),
    staticSummary: `Batch ${reference ?? id} of account ${accountId}`,
    priority: messages.toPriority(accountId, plan, 'batch'),
  };
}
