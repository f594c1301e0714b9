import { explainInOneText, FAILURES } from '@burnish/contract';
import { BurnishError } from './burnish-error.ts';
import type { Enhancement, UploadWithEnhancements } from './types.ts';

/**
 * The error of an upload that failed, or of its enhancement that did not finish.
 * @param status HTTP status of the answer that reported it; 0 for none
 */
export function workError(upload: UploadWithEnhancements, enhancement?: Enhancement, status = 0): BurnishError {
  const { errorCode, errorDetail } = enhancement?.errorCode ? enhancement : upload;
  if (errorCode === null) {
    return new BurnishError('The enhancement was cancelled.', { code: 'CANCELLED', upload, enhancement });
  }
  const sentence = explainInOneText(errorCode, errorDetail ?? FAILURES[errorCode].sentence);
  return new BurnishError(sentence, { code: errorCode, status, upload, enhancement });
}
