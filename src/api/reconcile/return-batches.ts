import { WorkflowNotFoundError } from '@temporalio/client';
import type { Batch, CountedBatch } from '@burnish/contract';
import { batchState, batchWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { startBatch } from '../batches/send-to-batch.ts';
import { OWN_WORK } from '../commands/workflow-commands.ts';
import { findRun } from './find-run.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

type BatchDeps = Pick<ReconcileDeps, 'client' | 'batches' | 'accounts' | 'now'>;

const BATCHES = 200;
/** Milliseconds for which a workflow may differ from its record: longer than a step takes to write it. */
const PATIENCE_MS = 15_000;
/** Milliseconds until a workflow of the same status is asked for its revision again. */
const REVISION_MS = 60_000;
const ANSWER_WAIT_MS = 10_000;

/** What one look at all open batches leaves for the next one. */
interface Looks {
  /** Runs that differ from their record, and since when, milliseconds since the epoch */
  differing: Map<string, number>;
  /** Runs that had the revision of their record, and when they said so */
  equal: Map<string, number>;
  /** A workflow did not answer, as without a worker: no further one is asked in this look */
  isUnanswered: boolean;
}

const newLooks = (): Looks => ({ differing: new Map(), equal: new Map(), isUnanswered: false });

/**
 * Keeps the workflows of open batches. One that is lost, or older than its record, starts again from the record. One that is newer
 * writes its record again.
 * @returns a function that looks at all open batches, and returns the number of those that it changed
 */
export function createBatchReturns(): (deps: BatchDeps, signal: AbortSignal) => Promise<number> {
  let looks = newLooks();

  return async (deps, signal) => {
    const before = looks;
    looks = newLooks();
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

  async function keep(deps: BatchDeps, batch: CountedBatch, before: Looks): Promise<boolean> {
    const run = await findRun(deps, batchWorkflowId(batch.id));
    if (!run?.isRunning) return await start(deps, batch);
    const now = deps.now();
    const equalAt = before.equal.get(run.runId);
    if (run.status === batch.status && equalAt !== undefined && now - equalAt < REVISION_MS) {
      looks.equal.set(run.runId, equalAt);
      return false;
    }
    const since = before.differing.get(run.runId) ?? now;
    looks.differing.set(run.runId, since);
    if (run.isBusy || looks.isUnanswered || now - since < PATIENCE_MS) return false;
    return await settle(deps, batch, run.runId);
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
    const ask = client.withDeadline(Date.now() + ANSWER_WAIT_MS, () => handle.query(batchState));
    const state = await ask.catch(() => undefined);
    if (state === undefined) {
      looks.isUnanswered = true;
      return false;
    }
    // The batch may have gone on since its record was read.
    if (state.revision > batch.revision && !(await isRecorded(deps, state))) {
      await batches.record({ batch: state, announce: null });
      return true;
    }
    if (state.revision >= batch.revision) {
      looks.differing.delete(runId);
      looks.equal.set(runId, deps.now());
      return false;
    }
    try {
      await handle.terminate('It is older than its record.');
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
    return await start(deps, batch);
  }
}

async function isRecorded({ batches }: BatchDeps, { accountId, id, revision }: Batch): Promise<boolean> {
  const record = await batches.get(accountId, id);
  return record === undefined || record.revision >= revision;
}
