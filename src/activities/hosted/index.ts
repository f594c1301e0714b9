import { cancellationSignal } from '@temporalio/activity';
import { CallFailure, unavailable } from '../../hosted/call-failure.ts';
import { currentWatch } from '../heartbeat.ts';
import { beginEnhancement } from './begin-enhancement.ts';
import { collectResult } from './collect-result.ts';
import type { HostedDeps } from './deps.ts';
import { findLost } from './find-lost.ts';
import type { HostedService } from './hosted-service.ts';
import { transferUpload } from './transfer-upload.ts';
import { toHostedEnhancement, toHostedUpload } from './states.ts';

export function createHostedActivities(deps: HostedDeps): HostedService {
  const { hostedApi, hostedIds, hostedSlots, enhancements, parallel } = deps;
  return {
    placeRemoteUpload: async (job) => ({ remoteUploadId: await transferUpload(deps, job, cancellationSignal()) }),

    readRemoteUpload: async ({ remoteUploadId }) => toHostedUpload(await hostedApi.upload(remoteUploadId)),

    async analyzeRemoteUpload({ remoteUploadId }) {
      const { success } = await hostedApi.analyzePdf(remoteUploadId);
      if (success === false) throw unavailable('The hosted service refused the analysis.', { answered: true });
    },

    async readRemoteCredits() {
      const { remainingCreditsThisPeriod } = await hostedApi.credits();
      return { remaining: remainingCreditsThisPeriod };
    },

    beginRemoteEnhancement: async (job) => ({ remoteEnhancementId: await beginEnhancement(deps, job) }),

    async findLostEnhancement(job) {
      const remoteEnhancementId = await findLost(deps, job);
      return remoteEnhancementId === null ? null : { remoteEnhancementId };
    },

    async readRemoteEnhancement({ remoteEnhancementId }) {
      // The caller holds a slot for this enhancement, so each poll renews the slot.
      const ours = await hostedIds.find('enhancement', remoteEnhancementId);
      if (ours !== undefined) await hostedSlots.renew(ours.subjectId);
      return toHostedEnhancement(await hostedApi.enhancedImage(remoteEnhancementId));
    },

    collectRemoteResult: (job) => collectResult(deps, job, currentWatch()),

    async deleteRemoteUpload({ uploadId }) {
      for (const { remoteId } of await hostedIds.of('upload', uploadId)) {
        await hostedApi.deleteUpload(remoteId).catch(asGone);
        await hostedIds.forgetUpload(remoteId);
      }
    },

    claimSlot: async ({ accountId, enhancementId }) => ({
      granted: await hostedSlots.claim(accountId, enhancementId, parallel),
    }),

    async releaseSlot({ enhancementId }) {
      const next = await hostedSlots.release(enhancementId, parallel);
      const uploadId = next === null ? undefined : await enhancements.findUploadId(next);
      return { next: next === null || uploadId === undefined ? null : { enhancementId: next, uploadId } };
    },
  };
}

function asGone(error: unknown): void {
  if (!(error instanceof CallFailure) || error.code !== 'NOT_FOUND') throw error;
}
