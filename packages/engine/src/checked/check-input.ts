import { z } from 'zod';
import { EngineError } from '@burnish/contract/engine';
import { describeInvalid } from '@burnish/contract/schemas';

/** A path as Node.js takes it. */
export const path = z
  .string()
  .min(1)
  .refine((text) => !text.includes('\0'), 'expected a path without a null character');

/** A function of the caller. */
export const callback = z.custom<(...args: never[]) => unknown>(
  (value) => typeof value === 'function',
  'expected a function',
);

export const signal = z.custom<AbortSignal>(
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'throwIfAborted' in value,
  'expected an AbortSignal',
);

/**
 * Checks what a caller gives.
 * @throws EngineError BAD_USER_INPUT with the field, and with what it accepts
 */
export function checkInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(given);
  if (error === undefined) return data;
  throw new EngineError('BAD_USER_INPUT', describeInvalid(error, 'The input', { schema, given }));
}
