import { CallFailure, unavailable } from '../../hosted/call-failure.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { beginEnhancement } from './begin-enhancement.ts';
import { collectResult } from './collect-result.ts';
import type { HostedDeps } from './deps.ts';
import { findLost } from './find-lost.ts';
import type { HostedService } from './hosted-service.ts';
import { placeUpload } from './place-upload.ts';
import { remoteEnhancementOf, remoteUploadOf } from './states.ts';

/** The calls to the hosted service, for workers of its own task queue. */
export function createHostedActivities(deps: HostedDeps): HostedService {
  const { remote, remoteIds, remotePlaces, enhancements, parallel } = deps;
  return {
    placeRemoteUpload: (job) =>
      withHeartbeat(async ({ signal }) => ({ remoteUploadId: await placeUpload(deps, job, signal) })),

    readRemoteUpload: async ({ remoteUploadId }) => remoteUploadOf(await remote.upload(remoteUploadId)),

    async analyzeRemoteUpload({ remoteUploadId }) {
      const { success } = await remote.analyzePdf(remoteUploadId);
      if (success === false) throw unavailable('The hosted service did not take the analysis.', { answered: true });
    },

    async readRemoteCredits() {
      const { remainingCreditsThisPeriod } = await remote.credits();
      return { remaining: remainingCreditsThisPeriod };
    },

    beginRemoteEnhancement: async (job) => ({ remoteEnhancementId: await beginEnhancement(deps, job) }),

    async findLostEnhancement(job) {
      const remoteEnhancementId = await findLost(deps, job);
      return remoteEnhancementId === null ? null : { remoteEnhancementId };
    },

    async readRemoteEnhancement({ remoteEnhancementId }) {
      // The caller holds a slot for it.
      const ours = await remoteIds.find('enhancement', remoteEnhancementId);
      if (ours !== undefined) await remotePlaces.renew(ours.subjectId);
      return remoteEnhancementOf(await remote.enhancedImage(remoteEnhancementId));
    },

    collectRemoteResult: (job) => withHeartbeat((watch) => collectResult(deps, job, watch)),

    async deleteRemoteUpload({ uploadId }) {
      for (const { remoteId } of await remoteIds.of('upload', uploadId)) {
        await remote.deleteUpload(remoteId).catch(asGone);
        await remoteIds.forget('upload', remoteId);
      }
    },

    claimSlot: async ({ accountId, enhancementId }) => ({
      granted: await remotePlaces.claim(accountId, enhancementId, parallel),
    }),

    async releaseSlot({ enhancementId }) {
      const next = await remotePlaces.release(enhancementId, parallel);
      const uploadId = next === null ? undefined : await enhancements.uploadIdOf(next);
      return { next: next === null || uploadId === undefined ? null : { enhancementId: next, uploadId } };
    },
  };
}

function asGone(error: unknown): void {
  if (!(error instanceof CallFailure) || error.code !== 'NOT_FOUND') throw error;
}
