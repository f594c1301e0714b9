import { WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import pLimit from 'p-limit';
import { hasEnded } from '../../domain/batch/batch.ts';
import {
  accountIdAttribute,
  batchWorkflowId,
  deliveryWorkflowId,
  FORMER_TASK_QUEUES,
  uploadWorkflowId,
} from '../../domain/temporal/workflow-interface.ts';
import { startBatch } from '../batches/send-to-batch.ts';
import { OWN_WORK } from '../commands/workflow-commands.ts';
import { continueDelivery } from '../webhooks/start-delivery.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';
import { revive } from './revive.ts';

const { PENDING_WORKFLOW_TASK_STATE_STARTED } = proto.temporal.api.enums.v1.PendingWorkflowTaskState;
const QUERY = `TaskQueue IN (${FORMER_TASK_QUEUES.map((name) => `'${name}'`).join(', ')}) AND ExecutionStatus = 'Running'`;
/** Workflows that end before the first of them starts again. */
const PAGE = 200;
const AT_ONCE = 4;

/** A workflow that an earlier version started and whose history no worker of this version can replay. */
interface FormerRun {
  workflowId: string;
  runId: string;
  /** Of the upload, the batch or the delivery */
  id: string;
  accountId: string;
}

/** What follows the end of a former run. */
interface Kind {
  toWorkflowId(id: string): string;
  isRecorded(deps: ReconcileDeps, run: FormerRun): Promise<boolean>;
  startAgain(deps: ReconcileDeps, run: FormerRun): Promise<unknown>;
}

const KINDS: readonly Kind[] = [
  {
    toWorkflowId: uploadWorkflowId,
    isRecorded: async ({ uploads }, { id }) => (await uploads.find(id)) !== undefined,
    startAgain: (deps, { id }) => revive(deps, id),
  },
  {
    toWorkflowId: batchWorkflowId,
    isRecorded: async ({ batches }, { accountId, id }) => (await batches.get(accountId, id)) !== undefined,
    async startAgain({ client, batches, accounts }, { accountId, id }) {
      const [batch, plan] = await Promise.all([batches.get(accountId, id), accounts.getPlanOfAccount(accountId)]);
      if (batch !== undefined && plan !== undefined && !hasEnded(batch))
        await startBatch(client, OWN_WORK, batch, plan);
    },
  },
  {
    toWorkflowId: deliveryWorkflowId,
    isRecorded: async ({ deliveries }, { accountId, id }) => (await deliveries.get(accountId, id)) !== undefined,
    // It also waits for its turn, but a gateway of the earlier version does not start a workflow after one that was terminated.
    async startAgain({ client, deliveries }, { accountId, id: deliveryId }) {
      const delivery = await deliveries.get(accountId, deliveryId);
      if (delivery?.status === 'PENDING')
        await continueDelivery({ client, deliveries }, { ...delivery, deliveryId }, 'after an upgrade');
    },
  },
];

const kindOf = ({ workflowId }: Pick<FormerRun, 'workflowId'>): Kind | undefined =>
  KINDS.find(({ toWorkflowId }) => workflowId.startsWith(toWorkflowId('')));

/**
 * Ends the workflows that an earlier version started, and starts them again from their records. One whose workflow task a worker
 * of that version runs, or without a record, is left to the next call.
 * @returns the number of ended workflows
 */
export async function replaceFormer(deps: ReconcileDeps, signal: AbortSignal): Promise<number> {
  let replaced = 0;
  let page: FormerRun[] = [];
  for await (const { workflowId, runId, typedSearchAttributes } of deps.client.workflow.list({ query: QUERY })) {
    signal.throwIfAborted();
    const id = workflowId.slice(workflowId.indexOf('/') + 1);
    page.push({ workflowId, runId, id, accountId: typedSearchAttributes.get(accountIdAttribute) ?? '' });
    if (page.length < PAGE) continue;
    replaced += await replacePage(deps, page);
    page = [];
  }
  replaced += await replacePage(deps, page);
  if (replaced > 0) deps.log.info({ replaced }, 'workflows of an earlier version were started again');
  return replaced;
}

async function replacePage(deps: ReconcileDeps, runs: readonly FormerRun[]): Promise<number> {
  if (runs.length === 0) return 0;
  const limit = pLimit(AT_ONCE);
  const ids = runs.map(({ id }) => id);
  const each = (work: (run: FormerRun) => Promise<unknown>) => async (run: FormerRun) => {
    try {
      return await limit(work, run);
    } catch (error) {
      const { workflowId } = run;
      deps.log.warn({ err: error, workflowId }, 'a workflow of an earlier version could not be started again');
      return undefined;
    }
  };
  // Attempts to notify receivers belong to these workflows. The first call keeps them if this process ends, and the second one
  // finds those of the last events.
  await deps.deliveries.holdLost(ids);
  const ended: FormerRun[] = [];
  const endOne = async (run: FormerRun): Promise<void> => void ((await end(deps, run)) && ended.push(run));
  await Promise.all(runs.map(each(endOne)));
  await deps.deliveries.holdLost(ids);
  await Promise.all(ended.map(each(async (run) => kindOf(run)?.startAgain(deps, run))));
  return ended.length;
}

/** Terminates exactly this run, between two workflow tasks. @returns whether it has ended */
async function end(deps: ReconcileDeps, run: FormerRun): Promise<boolean> {
  if (!(await kindOf(run)?.isRecorded(deps, run))) return false;
  const handle = deps.client.workflow.getHandle(run.workflowId, run.runId);
  try {
    const { raw, status } = await handle.describe();
    if (raw.pendingWorkflowTask?.state === PENDING_WORKFLOW_TASK_STATE_STARTED) return false;
    if (status.name === 'RUNNING')
      await handle.terminate('Its upload, batch or delivery goes on in a workflow of a newer version.');
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}
