import { ApplicationFailure } from '@temporalio/common';
import { CallFailure, rejected } from '../../hosted/call-failure.ts';
import type { HostedDeps } from './deps.ts';
import type { RemoteEnhancementJob } from './hosted-service.ts';
import { assertOwnRemoteUpload } from './remote-ownership.ts';

/**
 * Begins an enhancement at the service; see HostedService.beginRemoteEnhancement. The caller's end does not end the call:
 * an answer that is on its way is worth more than the moment saved.
 * @throws CallFailure when the service certainly did not begin; ANSWER_LOST whenever it may have
 */
export async function beginEnhancement(deps: HostedDeps, job: RemoteEnhancementJob): Promise<string> {
  const { remote, remoteIds, remotePlaces } = deps;
  const { accountId, enhancementId, remoteUploadId, parameters } = job;
  await assertOwnRemoteUpload(remoteIds, job);
  // Without it the place still lasts for longer than the call.
  await remotePlaces.renew(enhancementId).catch(() => undefined);
  const { id } = await remote
    .createEnhancedImage(remoteUploadId, parameters, { idempotencyKey: enhancementId })
    .catch((error: unknown): never => {
      throw error instanceof CallFailure && !error.mayHaveActed ? error : answerLost();
    });
  const row = {
    kind: 'enhancement' as const,
    remoteId: id,
    subjectId: enhancementId,
    accountId,
    via: null,
    placed: true,
  };
  const bound = await remoteIds.bind(row).catch((): never => {
    throw answerLost();
  });
  if (!bound) throw rejected('The hosted service gave the id of another enhancement.');
  return id;
}

function answerLost(): ApplicationFailure {
  const message = 'The answer of the hosted service was lost; whether it began is not known.';
  return ApplicationFailure.create({ type: 'ANSWER_LOST', message, nonRetryable: true });
}
