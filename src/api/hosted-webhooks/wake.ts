import { WorkflowNotFoundError } from '@temporalio/client';
import { isTerminal } from '../../domain/enhancement.ts';
import { enhancementWorkflowId, providerEvent, uploadWorkflowId } from '../../domain/messages.ts';
import type { Enhancements, TemporalClient } from '../ports.ts';
import type { KeptEvent, RemoteIds } from './ports.ts';

export interface WakeDeps {
  client: TemporalClient;
  remoteIds: RemoteIds;
  enhancements: Pick<Enhancements, 'listForUpload'>;
}

/**
 * Wakes the workflows that an event is about, which then read the state from the service themselves.
 * @returns how many; 0 for ids that are not known (yet)
 */
export async function wake(deps: WakeDeps, event: KeptEvent): Promise<number> {
  const workflowIds = await concerned(deps, event);
  await Promise.all(workflowIds.map((workflowId) => signal(deps, workflowId, event.id)));
  return workflowIds.length;
}

async function concerned(deps: WakeDeps, { remoteId, remoteUploadId }: KeptEvent): Promise<string[]> {
  const { remoteIds } = deps;
  if (remoteId !== null) {
    const enhancement = await remoteIds.find('enhancement', remoteId);
    if (enhancement !== undefined) return [enhancementWorkflowId(enhancement.subjectId)];
    const upload = await remoteIds.find('upload', remoteId);
    if (upload !== undefined) return [uploadWorkflowId(upload.subjectId)];
  }
  if (remoteUploadId === null) return [];
  const upload = await remoteIds.find('upload', remoteUploadId);
  return upload === undefined ? [] : await withoutRemoteId(deps, upload);
}

/** An enhancement that we do not know, of an upload that we do: it is one whose id was lost, or is on its way to us. */
async function withoutRemoteId(
  { enhancements }: WakeDeps,
  { subjectId, accountId }: { subjectId: string; accountId: string },
): Promise<string[]> {
  const all = await enhancements.listForUpload(accountId, subjectId);
  return all
    .filter(({ remoteId, provider, status }) => provider === 'hosted' && !remoteId && !isTerminal(status))
    .map(({ id }) => enhancementWorkflowId(id));
}

async function signal({ client }: WakeDeps, workflowId: string, eventId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).signal(providerEvent, { eventId });
  } catch (error) {
    // It has ended, or waits for its upload and has not begun: there is nobody to wake.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
