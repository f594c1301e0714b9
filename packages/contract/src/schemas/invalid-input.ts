import type { z } from 'zod';
import { describeInvalid } from './describe-invalid.ts';
import { Failure } from '../failure.ts';

/**
 * Checks what a caller sends.
 * @param whole the subject of the sentence where the whole input is wrong
 * @throws Failure BAD_USER_INPUT that names the first field, its value and what it allows
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  whole = 'The body',
): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error !== undefined) throw invalidInput(error, whole, { schema, given });
  return data;
}

function invalidInput(...invalid: Parameters<typeof describeInvalid>): Failure {
  const { detail, field } = describeInvalid(...invalid);
  return new Failure('BAD_USER_INPUT', { detail, ...(field !== undefined && { field }) });
}
