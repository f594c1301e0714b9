import { WorkflowNotFoundError } from '@temporalio/client';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { TemporalClient } from '../commands/command-types.ts';

const PREFIX = uploadWorkflowId('');

/**
 * A client that restarts a lost workflow before a command to its upload. Every readable upload then accepts
 * cancelling, enhancing and deleting.
 * @param revive says whether a workflow exists now
 */
export function revivingClient(client: TemporalClient, revive: (uploadId: string) => Promise<boolean>): TemporalClient {
  const getHandle = ((workflowId: string, ...rest: []) => {
    const handle = client.workflow.getHandle(workflowId, ...rest);
    if (!workflowId.startsWith(PREFIX)) return handle;
    const startUpdate = async (...args: Parameters<typeof handle.startUpdate>): Promise<unknown> => {
      try {
        return await handle.startUpdate(...args);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError) || !(await revive(workflowId.slice(PREFIX.length)))) throw error;
        return await handle.startUpdate(...args);
      }
    };
    return { ...handle, startUpdate };
  }) as TemporalClient['workflow']['getHandle'];
  return {
    withDeadline: (deadline, fn) => client.withDeadline(deadline, fn),
    workflow: { start: (...args) => client.workflow.start(...args), getHandle },
  };
}
