import type { Enhancement, UploadWithEnhancements } from '../api/types.ts';

/** The newest enhancement whose result is there. */
export const newestResult = ({ enhancements }: UploadWithEnhancements): Enhancement | undefined =>
  enhancements.findLast(({ status, fullUrl }) => status === 'FINISHED' && fullUrl !== null);
