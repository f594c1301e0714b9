import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { PROOF_MS } from '../../domain/temporal/timeouts.ts';
import { MAIN_TASK_QUEUE, PROGRESS_WORKFLOW_ID } from '../../domain/temporal/workflow-interface.ts';
import { runAtInterval } from '../../process/run-at-interval.ts';
import { hasStatus } from '../../temporal/grpc-status.ts';
import { findServiceError, OWN_WORK } from '../commands/workflow-commands.ts';
import type { progress } from '../../workflows/progress.ts';

export interface ProgressProofDeps {
  client: Pick<Client, 'workflow' | 'workflowService' | 'withDeadline'>;
  namespace: string;
  log: { warn(facts: object, message: string): void };
}

export interface ProgressProof {
  /** A sentence for each part that kept the last proof from success */
  problems(): string[];
  close(): Promise<void>;
}

/** With this attribute, a workflow is in no list that does not ask for it, and the Web UI does not. */
const DIVISION = defineSearchAttributeKey('TemporalNamespaceDivision', SearchAttributeType.KEYWORD);
/** Milliseconds between two proofs, and after one that failed: a part that is back must not count as away for a minute. */
const PAUSES_MS = { proven: 60_000, failed: 5_000 };
const STALLED = ['Temporal and the workflow workers have finished no workflow within a minute.'];

/**
 * Proves each minute that work moves: each part may answer, and yet finish nothing. A short workflow of a fixed id writes to the
 * database and storage, and decodes an image. One gateway starts it, and the others wait for the same one. The run before it is
 * deleted, so that Temporal keeps one history.
 */
export function proveProgress({ client, namespace, log }: ProgressProofDeps, pausesMs = PAUSES_MS): ProgressProof {
  let problems: string[] = [];
  /** The last run that this process has seen: the next one is due if it is still the latest */
  let seenRunId: string | undefined;
  let isClosing = false;
  let dueAt = -Infinity;

  async function look(): Promise<void> {
    if (problems.length === 0 && performance.now() < dueAt) return;
    dueAt = performance.now() + pausesMs.proven;
    const before = problems.join(' ');
    problems = await client.withDeadline(Date.now() + PROOF_MS.answer, latestProof).catch((error: unknown) => {
      if (before === '' && !isClosing) log.warn({ err: error }, 'work does not move');
      return STALLED;
    });
  }

  async function latestProof(): Promise<string[]> {
    const latest = await latestRunId();
    const isDue = latest === undefined || latest === seenRunId;
    seenRunId = isDue ? await start() : latest;
    const found = await client.workflow.result<typeof progress>(PROGRESS_WORKFLOW_ID, seenRunId);
    if (isDue && latest !== undefined) await forget(latest);
    return found;
  }

  async function latestRunId(): Promise<string | undefined> {
    try {
      return (await client.workflow.getHandle(PROGRESS_WORKFLOW_ID).describe()).runId;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  async function start(): Promise<string> {
    const options = {
      workflowId: PROGRESS_WORKFLOW_ID,
      taskQueue: MAIN_TASK_QUEUE,
      // Another gateway may have started it meanwhile.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowExecutionTimeout: PROOF_MS.workflow,
      priority: { priorityKey: 1, fairnessKey: OWN_WORK },
    } as const;
    const typedSearchAttributes = [{ key: DIVISION, value: OWN_WORK }];
    const handle = await client.workflow
      .start<typeof progress>('progress', { ...options, typedSearchAttributes })
      .catch((error: unknown) => {
        if (!hasStatus(findServiceError(error), 'INVALID_ARGUMENT')) throw error;
        // A server that reserves the attribute for itself shows the workflow.
        return client.workflow.start<typeof progress>('progress', options);
      });
    return handle.firstExecutionRunId;
  }

  /** The history of a run says nothing that its successor does not. A server may refuse, and drops it with its retention. */
  async function forget(runId: string): Promise<void> {
    const workflowExecution = { workflowId: PROGRESS_WORKFLOW_ID, runId };
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution }).catch(() => undefined);
  }

  const stop = runAtInterval(pausesMs.failed, look);
  return {
    problems: () => problems,
    close() {
      isClosing = true;
      return stop();
    },
  };
}
