import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Suspects } from './suspects.ts';

const WORKFLOW_PREFIX = uploadWorkflowId('');

/**
 * A client that revives the lost workflow of an upload before a command. Every readable upload then accepts cancelling,
 * enhancing and deleting. A running workflow is left alone: a command only reports the upload when its answer may be
 * that of an older workflow, and the reconciler compares it soon.
 * @param revive starts the workflow of an upload from its records unless one runs; false for a deleted upload
 */
export function revivingClient(
  client: TemporalClient,
  revive: (uploadId: string) => Promise<boolean>,
  suspects: Pick<Suspects, 'report'>,
): TemporalClient {
  const getHandle = ((workflowId: string, ...rest: []) => {
    const handle = client.workflow.getHandle(workflowId, ...rest);
    if (!workflowId.startsWith(WORKFLOW_PREFIX)) return handle;
    const uploadId = workflowId.slice(WORKFLOW_PREFIX.length);

    const startUpdate = async (...args: Parameters<typeof handle.startUpdate>): Promise<unknown> => {
      const sent = await handle.startUpdate(...args).catch(async (error: unknown) => {
        if (!(error instanceof WorkflowNotFoundError)) suspects.report(uploadId);
        else if (await revive(uploadId)) return await handle.startUpdate(...args);
        throw error;
      });
      const result = async (): Promise<unknown> => {
        try {
          const value: unknown = await sent.result();
          if (value === null) suspects.report(uploadId);
          return value;
        } catch (error) {
          // The reconciler has replaced the workflow after it accepted the command.
          if (hasEndedMeanwhile(error) && (await revive(uploadId)))
            return await (await handle.startUpdate(...args)).result();
          suspects.report(uploadId);
          throw error;
        }
      };
      return { ...sent, result };
    };
    return { ...handle, startUpdate };
  }) as TemporalClient['workflow']['getHandle'];
  return {
    withDeadline: client.withDeadline.bind(client),
    workflow: { start: client.workflow.start.bind(client.workflow), getHandle },
  };
}

const hasEndedMeanwhile = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'AcceptedUpdateCompletedWorkflow';
