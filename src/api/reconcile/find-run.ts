import { WorkflowNotFoundError } from '@temporalio/client';
import { enhancementIdAttribute, statusAttribute } from '../../domain/temporal/search-attributes.ts';
import type { TemporalClient } from '../commands/command-types.ts';

/** The newest run of a workflow. */
export interface Run {
  runId: string;
  /** Id of its first run: a busy workflow continues as new several times a minute */
  firstRunId: string;
  isRunning: boolean;
  /** It has ended by itself */
  isComplete: boolean;
  /** A workflow task is due or runs. Its local activities write records before the workflow's history shows them */
  isBusy: boolean;
  /** Types of the activities that wait or run */
  activities: readonly string[];
  /** Enhancements that the workflow of an upload has accepted, the newest ones */
  listed: readonly string[];
  /** The status of its record, as its search attribute has it */
  status: string | undefined;
}

/** @returns undefined without a workflow of the id. @throws errors of the client */
export async function findRun({ client }: { client: TemporalClient }, workflowId: string): Promise<Run | undefined> {
  try {
    const { status, runId, typedSearchAttributes, raw } = await client.workflow.getHandle(workflowId).describe();
    return {
      runId,
      firstRunId: raw.workflowExecutionInfo?.firstRunId || runId,
      isBusy: Boolean(raw.pendingWorkflowTask),
      isRunning: status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW',
      isComplete: status.name === 'COMPLETED',
      activities: (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name ?? ''),
      listed: typedSearchAttributes.get(enhancementIdAttribute) ?? [],
      status: typedSearchAttributes.get(statusAttribute),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
