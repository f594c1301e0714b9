import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { BroughtTogether } from './bring-together.ts';

const WORKFLOW_PREFIX = uploadWorkflowId('');

/**
 * A client that revives the workflow of an upload before a command, if it is lost or older than the records. Every
 * readable upload then accepts cancelling, enhancing and deleting. A refusal, or the answer that an enhancement is not
 * open, is checked against the records, because an older workflow may have given it.
 * @param bringTogether compares the records of an upload with its workflow
 */
export function revivingClient(
  client: TemporalClient,
  bringTogether: (uploadId: string) => Promise<BroughtTogether>,
): TemporalClient {
  const getHandle = ((workflowId: string, ...rest: []) => {
    const handle = client.workflow.getHandle(workflowId, ...rest);
    if (!workflowId.startsWith(WORKFLOW_PREFIX)) return handle;
    const together = (): Promise<BroughtTogether> => bringTogether(workflowId.slice(WORKFLOW_PREFIX.length));

    const startUpdate = async (...args: Parameters<typeof handle.startUpdate>): Promise<unknown> => {
      const again = async (): Promise<unknown> => (await handle.startUpdate(...args)).result();
      let sent;
      try {
        sent = await handle.startUpdate(...args);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError) || (await together()) === 'gone') throw error;
        return await handle.startUpdate(...args);
      }
      const result = async (): Promise<unknown> => {
        try {
          const value: unknown = await sent.result();
          return value === null && (await together()) === 'revived' ? await again() : value;
        } catch (error) {
          if (!(error instanceof WorkflowUpdateFailedError) || (await together()) !== 'revived') throw error;
          return await again();
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
