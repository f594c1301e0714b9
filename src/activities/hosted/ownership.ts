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
 * Checks that a result at the service belongs to the enhancement that requests it. An id that the database has lost is bound again.
 * @throws CallFailure PROVIDER_REJECTED
 */
export async function assertOwnHostedResult(
  hostedIds: Pick<HostedIds, 'find' | 'bind'>,
  { enhancementId, remoteEnhancementId: remoteId, resultKey }: Input<'collectRemoteResult'>,
): Promise<void> {
  const accountId = ownerIn(resultKey)?.accountId;
  if (accountId === undefined) throw ofAnother();
  const row = { kind: 'enhancement' as const, remoteId, subjectId: enhancementId, accountId, via: null };
  const known = await hostedIds.find('enhancement', remoteId);
  if (known === undefined && (await hostedIds.bind({ ...row, transferred: true }))) return;
  if (known?.subjectId !== enhancementId || known.accountId !== accountId) throw ofAnother();
}

const ofAnother = () => rejected('The id at the hosted service belongs to another record, so nothing was done.');
