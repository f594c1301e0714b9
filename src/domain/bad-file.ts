import type { FailureCode } from '@burnish/contract';

const FAULTS_OF_THE_FILE: readonly FailureCode[] = [
  'FILE_TOO_SMALL',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'UPLOAD_MISMATCH',
  'SIGNED_URL_EXPIRED',
  'UPLOAD_EXPIRED',
  'CORRUPT_FILE',
  'ENCRYPTED_PDF',
  'TOO_MANY_PIXELS',
];

/**
 * Whether a failure proves that the file is unusable. Only then may its bytes be deleted before their retention ends.
 * PROCESSING_LIMIT proves it only for the present limits and this machine.
 */
export function provesBadFile(code: FailureCode): boolean {
  return FAULTS_OF_THE_FILE.includes(code);
}
