import { isSettled as isSettledRecord, type Enhancement, type Upload } from '@burnish/contract';

/** Whether no work of a stored upload runs or waits. */
export function isSettled(upload: Upload, enhancements: readonly Enhancement[]): boolean {
  return isSettledRecord({ ...upload, mimetype: upload.file?.mimetype ?? null }, enhancements);
}
