import { newId, type MediaKind } from '@burnish/contract';
import type { IdempotencyClaim, IdempotencyKeys } from '../../database/uploads/idempotency-keys.ts';
import type { UploadSource } from '../../domain/upload/new-upload.ts';
import { claimKey, fingerprint, keyedId } from '../commands/idempotency.ts';
import type { Caller, UploadIdempotencyKey, UploadOrder, UploadWithEnhancements } from '../commands/command-types.ts';
import { admitOrder, type AdmitDeps } from './check-order.ts';
import { recordedUpload, startAgain, startUpload, type StartDeps } from './start-upload.ts';

/** A file that a caller offers, in whichever way it comes. */
export interface OfferedFile {
  operation: string;
  order: UploadOrder;
  /** Null if only the content decides */
  kind: MediaKind | null;
  originalFilename: string;
  /** What a request with the same key must repeat */
  request: object;
  /** The id of an upload without an idempotency key */
  id?: string;
  /** Prepares the file of a new upload. @param nowMs milliseconds since the epoch, at which the upload is created */
  source(uploadId: string, nowMs: number): UploadSource | Promise<UploadSource>;
}

export interface AcceptDeps extends AdmitDeps, StartDeps {
  idempotencyKeys: IdempotencyKeys;
  /** Milliseconds since the epoch */
  now: () => number;
}

/**
 * Accepts a file: checks its order, claims the key of the request, and starts the upload, once for each key.
 * @returns the upload, or that of an equal earlier request
 * @throws Failure that names the field at fault; IDEMPOTENCY_KEY_REUSED; what `startUpload` throws
 */
export async function acceptUpload(
  deps: AcceptDeps,
  caller: Caller,
  offered: OfferedFile,
  idempotencyKey: UploadIdempotencyKey,
): Promise<UploadWithEnhancements> {
  const { order, kind, originalFilename } = offered;
  const admitted = await admitOrder(deps, caller, order, kind);
  const { uploadId, earlier, claim } = await claimUpload(deps, caller, offered, idempotencyKey);
  if (earlier !== undefined) return await startAgain(deps, earlier);
  const nowMs = deps.now();
  const source = await offered.source(uploadId, nowMs);
  return await startUpload(deps, caller, admitted, { uploadId, originalFilename, source, claim, nowMs });
}

interface ClaimedUpload {
  uploadId: string;
  /** The upload of an equal earlier request with the same key */
  earlier: UploadWithEnhancements | undefined;
  /** The claim of a new key, written together with the records */
  claim: IdempotencyClaim | null;
}

/** The id of a request's upload, which the caller's key decides. */
async function claimUpload(
  deps: AcceptDeps,
  { account: { id: accountId } }: Caller,
  { operation, request, id }: OfferedFile,
  { key, made }: UploadIdempotencyKey,
): Promise<ClaimedUpload> {
  const print = fingerprint(request);
  const claim = { accountId, key, operation, fingerprint: print };
  if (made) {
    const uploadId = id ?? newId('upl', deps.now());
    return { uploadId, earlier: undefined, claim: { ...claim, subjectId: uploadId } };
  }
  const subjectId = keyedId('upl', accountId, key, print);
  const claimed = await claimKey(deps.idempotencyKeys, { ...claim, subjectId });
  // The id of a key that the gateway generated is not derived from it.
  const uploadId = claimed.subjectId;
  return { uploadId, earlier: await recordedUpload(deps, accountId, uploadId), claim: null };
}
