import type { UploadInput } from '../../domain/temporal/workflow-interface.ts';
import type { Progress } from '../enhancement/enhancement-run.ts';
import type { CarriedEnhancement } from '../enhancement/enhancements.ts';

/** What a run of the workflow hands to the next one. */
export interface CarriedUpload {
  timeline: readonly string[];
  enhancements: readonly CarriedEnhancement[];
}

/** Enhancements requested with the upload, and enhancements to resume after the loss of their workflow. */
export function initialState({ initial, enhancements, resume = [], approved = [] }: UploadInput): CarriedUpload {
  const ordered = enhancements.map((request) => ({
    request,
    acceptedAt: initial.createdAt,
    changes: {},
    progress: {},
  }));
  const resumed = resume.map((recorded) => {
    const { id, parameters, maxCredits, creditWaitMs, createdAt, revision, provider, remoteId, destination } = recorded;
    const request = { id, parameters, maxCredits, creditWaitMs, ...(destination && { destination }) };
    // Only its destination is left to reach.
    if (recorded.status === 'FINISHED') return { request, acceptedAt: createdAt, changes: recorded, progress: {} };
    const changes = { revision, provider, remoteId };
    // The hosted service may have begun it, so the workflow looks for a sign of it before it begins again.
    const progress: Progress =
      provider === 'hosted' && remoteId === null ? { lost: { sinceMs: Date.parse(createdAt), attempt: 1 } } : {};
    const { estimatedCredits, startedAt, status, waitingFor } = recorded;
    return {
      request,
      acceptedAt: createdAt,
      changes: {
        ...changes,
        estimatedCredits,
        startedAt,
        ...(status === 'AWAITING_APPROVAL' || status === 'AWAITING_CREDITS' ? { status, waitingFor } : {}),
      },
      progress: approved.includes(id) ? { ...progress, approved: true } : progress,
    };
  });
  return { timeline: [], enhancements: [...ordered, ...resumed] };
}
