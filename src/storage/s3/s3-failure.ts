import { S3ServiceException } from '@aws-sdk/client-s3';

/** The HTTP status that storage answered with; undefined when it did not answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** Whether the object is not there. A bucket that is gone is trouble, and not an answer about an object. */
export function isAbsent(error: unknown): boolean {
  return error instanceof S3ServiceException && statusOf(error) === 404 && error.name !== 'NoSuchBucket';
}

/** Passes `undefined` on for an object that is not there. */
export async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
