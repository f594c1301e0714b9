import { ApplicationFailure } from '@temporalio/common';
import { CallFailure, rejected } from '../../hosted/call-failure.ts';
import type { HostedDeps } from './deps.ts';
import { assertOwnHostedUpload } from './ownership.ts';
import type { Input } from '../inputs/schemas.ts';

/**
 * Begins an enhancement at the service; see HostedService.beginRemoteEnhancement. A cancellation of the caller does not abort
 * the call, because the id in the answer is worth more than the time saved.
 * @throws CallFailure when the service certainly did not begin; ANSWER_LOST whenever it may have begun
 */
export async function beginEnhancement(deps: HostedDeps, job: Input<'beginRemoteEnhancement'>): Promise<string> {
  const { hostedApi, hostedIds, hostedSlots } = deps;
  const { accountId, enhancementId, remoteUploadId, parameters } = job;
  await assertOwnHostedUpload(hostedIds, job);
  // Temporal may have lost the answer of an earlier call, and not every service knows the key.
  const [known] = await hostedIds.of('enhancement', enhancementId);
  if (known !== undefined) return known.remoteId;
  // Even without renewal, the slot outlasts the call.
  await hostedSlots.renew(enhancementId).catch(() => undefined);
  const { id } = await hostedApi
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
    transferred: true,
  };
  const bound = await hostedIds.bind(row).catch((): never => {
    throw answerLost();
  });
  if (!bound) throw rejected('The hosted service returned the id of another enhancement.');
  return id;
}

function answerLost(): ApplicationFailure {
  const message = 'The response of the hosted service was lost. It is unknown whether the enhancement started.';
  return ApplicationFailure.create({ type: 'ANSWER_LOST', message, nonRetryable: true });
}
