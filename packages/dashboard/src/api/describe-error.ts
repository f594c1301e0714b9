import { BurnishError } from '@burnish/client';

/** Any error as a sentence that a person can be shown. */
export function describeError(error: unknown): string {
  if (error instanceof BurnishError) return error.message;
  return error instanceof Error
    ? `The page has an error. Reload it. (${error.message})`
    : 'The page has an error. Reload it.';
}
