import { type Enhancement, Failure, type MediaType, type MovedPages, type Upload } from '@burnish/contract';
import { ownsKey } from '../../domain/files/object-keys.ts';

/** An original or a result that previews show. */
export interface Viewed {
  accountId: string;
  uploadId: string;
  /** Part of the names of its previews: empty for the original, else the enhancement's id */
  name: string;
  objectKey: string;
  mimetype: MediaType;
  /** Bytes by the record */
  expected: { size: number; sha256: string };
  /** Pages of the original that are not one page of this result each */
  moved: MovedPages;
}

/** @throws Failure NOT_FOUND when the upload has no viewable file */
export function viewOriginal({ id, accountId, status, objectKey, file }: Upload): Viewed {
  const there = status === 'UPLOAD_FINISHED' && objectKey !== null && file !== null;
  if (!there || !ownsKey({ accountId, uploadId: id }, objectKey)) {
    throw new Failure('NOT_FOUND', { detail: 'The upload has no file that can be shown. Check its status.' });
  }
  const { mimetype, size, sha256 } = file;
  return { accountId, uploadId: id, name: '', objectKey, mimetype, expected: { size, sha256 }, moved: {} };
}

/** @throws Failure NOT_FOUND when the enhancement has no result */
export function viewResult({ id, accountId, uploadId, status, result, engine }: Enhancement): Viewed {
  if (status !== 'FINISHED' || result === null || !ownsKey({ accountId, uploadId }, result.objectKey)) {
    throw new Failure('NOT_FOUND', { detail: 'The enhancement has no result. Check its status.' });
  }
  const { objectKey, mimetype, size, sha256 } = result;
  const moved = { split: engine?.splitPages ?? [], dropped: engine?.droppedPages ?? [] };
  return { accountId, uploadId, name: id, objectKey, mimetype, expected: { size, sha256 }, moved };
}
