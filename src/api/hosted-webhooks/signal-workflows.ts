import { WorkflowNotFoundError } from '@temporalio/client';
import { isTerminal } from '@burnish/contract';
import { hostedEvent, uploadWorkflowId, type HostedEvent } from '../../domain/temporal/workflow-interface.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { RecordedHostedEvent } from '../../database/hosted/hosted-events.ts';
import type { HostedIds } from '../../database/hosted/hosted-ids.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';

interface SignalDeps {
  client: TemporalClient;
  hostedIds: Pick<HostedIds, 'find'>;
  enhancements: Pick<Enhancements, 'get' | 'listForUpload'>;
}

type Subject = Pick<HostedEvent, 'enhancementId'> & { uploadId: string };

/**
 * Signals the workflows of an event. They then read the state from the hosted service.
 * @returns the number of signals; 0 for unknown ids, which may not be recorded yet
 */
export async function signalWorkflows(deps: SignalDeps, event: RecordedHostedEvent): Promise<number> {
  const subjects = await findSubjects(deps, event);
  await Promise.all(subjects.map((subject) => signal(deps, subject, event.id)));
  return subjects.length;
}

async function findSubjects(deps: SignalDeps, { remoteId, remoteUploadId }: RecordedHostedEvent): Promise<Subject[]> {
  const { hostedIds, enhancements } = deps;
  if (remoteId !== null) {
    const known = await hostedIds.find('enhancement', remoteId);
    const enhancement = known && (await enhancements.get(known.accountId, known.subjectId));
    if (enhancement !== undefined) return [{ uploadId: enhancement.uploadId, enhancementId: enhancement.id }];
    const upload = await hostedIds.find('upload', remoteId);
    if (upload !== undefined) return [{ uploadId: upload.subjectId }];
  }
  if (remoteUploadId === null) return [];
  const upload = await hostedIds.find('upload', remoteUploadId);
  return upload === undefined ? [] : await withoutHostedId(deps, upload);
}

/**
 * The hosted enhancements of an upload that are open and without a remote id. One of them may belong to an unknown
 * id, which was lost or is not recorded yet.
 */
async function withoutHostedId(
  { enhancements }: SignalDeps,
  { subjectId: uploadId, accountId }: { subjectId: string; accountId: string },
): Promise<Subject[]> {
  const all = await enhancements.listForUpload(accountId, uploadId);
  return all
    .filter(({ remoteId, provider, status }) => provider === 'hosted' && !remoteId && !isTerminal(status))
    .map(({ id }) => ({ uploadId, enhancementId: id }));
}

async function signal({ client }: SignalDeps, { uploadId, ...about }: Subject, eventId: string): Promise<void> {
  try {
    await client.workflow.getHandle(uploadWorkflowId(uploadId)).signal(hostedEvent, { eventId, ...about });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
