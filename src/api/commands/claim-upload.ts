import { claim, fingerprint } from './claim.ts';
import { keyedId, newId } from './ids.ts';
import type { Caller, CommandDeps, IdempotencyKey, UploadWithEnhancements } from './types.ts';

export interface UploadRequest {
  operation: string;
  key: IdempotencyKey;
  /** What was asked for: the same key has to come with the same */
  request: unknown;
}

/**
 * The id of the upload that a request makes, and what an equal request has made under the same key before.
 * @throws Failure BAD_USER_INPUT when the key stands for another request
 */
export async function claimUpload(
  deps: Pick<CommandDeps, 'idempotencyKeys' | 'uploads' | 'enhancements' | 'now'>,
  { account: { id: accountId } }: Caller,
  { operation, key, request }: UploadRequest,
): Promise<{ uploadId: string; earlier: UploadWithEnhancements | undefined }> {
  if (key === null) return { uploadId: newId('upl', deps.now()), earlier: undefined };
  const print = fingerprint(request);
  const uploadId = keyedId('upl', accountId, key, print);
  await claim(deps.idempotencyKeys, { accountId, key, operation, fingerprint: print, subjectId: uploadId });
  const upload = await deps.uploads.get(accountId, uploadId);
  if (upload === undefined) return { uploadId, earlier: undefined };
  return { uploadId, earlier: { upload, enhancements: await deps.enhancements.listForUpload(accountId, uploadId) } };
}
