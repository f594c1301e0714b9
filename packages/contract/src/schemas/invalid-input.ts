import type { z } from 'zod';
import { describeInvalid } from './describe-invalid.ts';
import { Failure } from '../failures.ts';

/** Describes the first error of an input, with the path of its field. */
export function invalidInput(error: z.ZodError): Failure {
  const { detail, field } = describeInvalid(error, 'The body');
  return new Failure('BAD_USER_INPUT', { detail, ...(field !== undefined && { field }) });
}
