import { hostedEvent, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

/** Milliseconds after which a claim without an open record has lost its enhancement. */
const ORPHANED_MS = 20_000;

/** Returns the slots of ended enhancements, and wakes those that get them. @returns 1 if there were any */
export async function returnSlots({
  client,
  enhancements,
  hosted,
  hostedSlots,
  now,
}: Pick<ReconcileDeps, 'client' | 'enhancements' | 'hosted' | 'hostedSlots' | 'now'>): Promise<number> {
  if (hosted === null) return 0;
  const next = await hostedSlots.returnOrphans(hosted.parallel, new Date(now() - ORPHANED_MS).toISOString());
  for (const enhancementId of next ?? []) {
    const uploadId = await enhancements.findUploadId(enhancementId);
    const event = { eventId: `orphan-slot-${enhancementId}-${now()}`, enhancementId };
    // One that has ended meanwhile is an orphan at the next look.
    if (uploadId !== undefined)
      await client.workflow
        .getHandle(uploadWorkflowId(uploadId))
        .signal(hostedEvent, event)
        .catch(() => undefined);
  }
  return next === undefined ? 0 : 1;
}
