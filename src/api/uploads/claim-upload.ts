import type { IdempotencyClaim } from '../../database/uploads/idempotency-keys.ts';
import { fingerprint, usedForAnother } from '../commands/claim-idempotency-key.ts';
import { keyedId, newId } from '../commands/ids.ts';
import type { Caller, CommandDeps, CreateKey, UploadWithEnhancements } from '../commands/command-types.ts';

export interface UploadRequest {
  operation: string;
  key: CreateKey;
  /** What was asked for: the same key has to come with the same */
  request: unknown;
  /** The id that the upload gets where the caller brought no key */
  id?: string;
}

export interface ClaimedUpload {
  uploadId: string;
  /** What an equal request has made under the same key before */
  earlier: UploadWithEnhancements | undefined;
  /** Of a key that nobody knows yet: it is claimed together with the records */
  claim: IdempotencyClaim | null;
}

/**
 * The id of the upload that a request makes.
 * @throws Failure BAD_USER_INPUT when the key stands for another request
 */
export async function claimUpload(
  deps: Pick<CommandDeps, 'idempotencyKeys' | 'uploads' | 'enhancements' | 'now'>,
  { account: { id: accountId } }: Caller,
  { operation, key: { key, made }, request, id }: UploadRequest,
): Promise<ClaimedUpload> {
  const print = fingerprint(request);
  const claim = { accountId, key, operation, fingerprint: print };
  if (made) {
    const uploadId = id ?? newId('upl', deps.now());
    return { uploadId, earlier: undefined, claim: { ...claim, subjectId: uploadId } };
  }
  const subjectId = keyedId('upl', accountId, key, print);
  const claimed = await deps.idempotencyKeys.claim({ ...claim, subjectId });
  if (claimed.outcome === 'different') throw usedForAnother();
  // A key that the gateway made stands for an id that does not come from it.
  const uploadId = claimed.subjectId;
  const upload = await deps.uploads.get(accountId, uploadId);
  if (upload === undefined) return { uploadId, earlier: undefined, claim: null };
  const enhancements = await deps.enhancements.listForUpload(accountId, uploadId);
  return { uploadId, earlier: { upload, enhancements }, claim: null };
}
