import { WorkflowNotFoundError } from '@temporalio/client';
import { isTerminal } from '../../domain/enhancement/enhancement.ts';
import { hostedEvent, uploadWorkflowId, type HostedEvent } from '../../domain/temporal/messages.ts';
import type { Enhancements, TemporalClient } from '../ports.ts';
import type { KeptEvent, RemoteIds } from './ports.ts';

export interface WakeDeps {
  client: TemporalClient;
  remoteIds: RemoteIds;
  enhancements: Pick<Enhancements, 'get' | 'listForUpload'>;
}

/** What an event is about: an upload of ours, and the enhancement of it where the event says so. */
type Subject = Pick<HostedEvent, 'enhancementId'> & { uploadId: string };

/**
 * Wakes the workflows that an event is about, which then read the state from the service themselves.
 * @returns how many signals went out; 0 for ids that are not known (yet)
 */
export async function wake(deps: WakeDeps, event: KeptEvent): Promise<number> {
  const subjects = await concerned(deps, event);
  await Promise.all(subjects.map((subject) => signal(deps, subject, event.id)));
  return subjects.length;
}

async function concerned(deps: WakeDeps, { remoteId, remoteUploadId }: KeptEvent): Promise<Subject[]> {
  const { remoteIds, enhancements } = deps;
  if (remoteId !== null) {
    const known = await remoteIds.find('enhancement', remoteId);
    const enhancement = known && (await enhancements.get(known.accountId, known.subjectId));
    if (enhancement !== undefined) return [{ uploadId: enhancement.uploadId, enhancementId: enhancement.id }];
    const upload = await remoteIds.find('upload', remoteId);
    if (upload !== undefined) return [{ uploadId: upload.subjectId }];
  }
  if (remoteUploadId === null) return [];
  const upload = await remoteIds.find('upload', remoteUploadId);
  return upload === undefined ? [] : await withoutRemoteId(deps, upload);
}

/** An enhancement that we do not know, of an upload that we do: its id was lost, or is on its way to us. */
async function withoutRemoteId(
  { enhancements }: WakeDeps,
  { subjectId: uploadId, accountId }: { subjectId: string; accountId: string },
): Promise<Subject[]> {
  const all = await enhancements.listForUpload(accountId, uploadId);
  return all
    .filter(({ remoteId, provider, status }) => provider === 'hosted' && !remoteId && !isTerminal(status))
    .map(({ id }) => ({ uploadId, enhancementId: id }));
}

async function signal({ client }: WakeDeps, { uploadId, ...about }: Subject, eventId: string): Promise<void> {
  try {
    await client.workflow.getHandle(uploadWorkflowId(uploadId)).signal(hostedEvent, { eventId, ...about });
  } catch (error) {
    // It has ended: nothing waits for the event.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
