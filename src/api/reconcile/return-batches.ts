import { WorkflowNotFoundError } from '@temporalio/client';
import type { CountedBatch } from '@burnish/contract';
import { batchState, batchWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { startBatch } from '../batches/send-to-batch.ts';
import { OWN_WORK } from '../commands/workflow-commands.ts';
import { findRun } from './find-run.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

type BatchDeps = Pick<ReconcileDeps, 'client' | 'batches' | 'accounts' | 'now'>;

const BATCHES = 200;
/** Milliseconds for which a workflow may show another status than its record: longer than a step takes to write it. */
const PATIENCE_MS = 15_000;
const ANSWER_WAIT_MS = 10_000;

/**
 * Keeps the workflows of open batches. One that is lost, or older than its record, starts again from the record. One that is newer
 * writes its record again.
 * @returns a function that looks at all open batches, and returns the number of those that it changed
 */
export function createBatchReturns(): (deps: BatchDeps, signal: AbortSignal) => Promise<number> {
  /** Runs that showed another status than their record, and since when, milliseconds since the epoch */
  let differing = new Map<string, number>();

  return async (deps, signal) => {
    const before = differing;
    differing = new Map();
    let changed = 0;
    for (let afterId = ''; ;) {
      const open = await deps.batches.listOpen(afterId, BATCHES);
      for (const batch of open) {
        signal.throwIfAborted();
        if (await keep(deps, batch, before)) changed += 1;
      }
      if (open.length < BATCHES) return changed;
      afterId = open.at(-1)!.id;
    }
  };

  async function keep(deps: BatchDeps, batch: CountedBatch, before: ReadonlyMap<string, number>): Promise<boolean> {
    const run = await findRun(deps, batchWorkflowId(batch.id));
    if (!run?.isRunning) return await start(deps, batch);
    if (run.status === batch.status) return false;
    const since = before.get(run.runId) ?? deps.now();
    differing.set(run.runId, since);
    return !run.isBusy && deps.now() - since >= PATIENCE_MS && (await settle(deps, batch, run.runId));
  }

  async function start({ client, accounts }: BatchDeps, batch: CountedBatch): Promise<boolean> {
    const plan = await accounts.getPlanOfAccount(batch.accountId);
    // A workflow ends by itself once its account is deleted.
    if (plan === undefined || (await accounts.get(batch.accountId))?.deletedAt !== null) return false;
    await startBatch(client, OWN_WORK, batch, plan);
    return true;
  }

  async function settle(deps: BatchDeps, batch: CountedBatch, runId: string): Promise<boolean> {
    const { client, batches } = deps;
    const handle = client.workflow.getHandle(batchWorkflowId(batch.id), runId);
    const state = await client.withDeadline(Date.now() + ANSWER_WAIT_MS, () => handle.query(batchState));
    if (state.revision > batch.revision) {
      await batches.record({ batch: state, announce: null });
      return true;
    }
    if (state.revision === batch.revision) return false;
    try {
      await handle.terminate('It is older than its record.');
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
    return await start(deps, batch);
  }
}
