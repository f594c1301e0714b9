import { isOver, type OverState } from '../enhancement/enhancement.ts';
import type { UploadStatus, UploadSubStatus } from './upload.ts';

interface UploadState {
  status: UploadStatus;
  /** Null for images, and for a PDF before its analysis */
  subStatus: UploadSubStatus | null;
  /** Null before the file arrives */
  mimetype: string | null;
}

/** Whether no work of an upload runs or waits, including results on their way to destinations. */
export function isSettled(upload: UploadState, enhancements: readonly OverState[]): boolean {
  return isReceived(upload) && enhancements.every(isOver);
}

function isReceived({ status, subStatus, mimetype }: UploadState): boolean {
  if (status === 'UPLOAD_FAILED' || status === 'UPLOAD_DELETED') return true;
  const analyzing = subStatus === 'METADATA_ANALYZING' || (subStatus === null && mimetype === 'application/pdf');
  return status === 'UPLOAD_FINISHED' && !analyzing;
}
