import type { HostedIds } from '../../database/hosted/hosted-ids.ts';
import { rejected } from '../../hosted/call-failure.ts';
import { ownerIn } from '../../domain/files/object-keys.ts';
import type { Input } from '../inputs/schemas.ts';

/* All accounts share one API key at the hosted service, so the service cannot distinguish the files of different accounts. */

/**
 * Checks that an upload at the service belongs to no other account.
 * @throws CallFailure PROVIDER_REJECTED
 */
export async function assertOwnHostedUpload(
  hostedIds: Pick<HostedIds, 'find'>,
  { accountId, remoteUploadId }: { accountId: string; remoteUploadId: string },
): Promise<void> {
  const known = await hostedIds.find('upload', remoteUploadId);
  if (known !== undefined && known.accountId !== accountId) throw ofAnother();
}

/**
 * Checks that a result at the service belongs to the enhancement that requests it.
 * @throws CallFailure PROVIDER_REJECTED
 */
export async function assertOwnHostedResult(
  hostedIds: Pick<HostedIds, 'find'>,
  { enhancementId, remoteEnhancementId, resultKey }: Input<'collectRemoteResult'>,
): Promise<void> {
  const known = await hostedIds.find('enhancement', remoteEnhancementId);
  const accountId = ownerIn(resultKey)?.accountId;
  if (known?.subjectId !== enhancementId || known.accountId !== accountId) throw ofAnother();
}

const ofAnother = () => rejected('The id at the hosted service belongs to another record, so nothing was done.');
