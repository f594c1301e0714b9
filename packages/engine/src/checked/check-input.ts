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
  const { detail, field, allowed = namesFor(schema, error) } = describeInvalid(error);
  throw new EngineError('BAD_USER_INPUT', {
    detail: allowed === undefined || allowed.every((each) => detail.includes(each)) ? detail : listing(detail, allowed),
    ...(field !== undefined && { field }),
    ...(allowed !== undefined && { allowed }),
  });
}

const listing = (detail: string, names: readonly string[]): string => `${detail} The fields are ${names.join(', ')}.`;

/** Returns the names that the object with an unknown field has; undefined for another fault. */
function namesFor(schema: z.ZodType, { issues: [issue] }: z.ZodError): string[] | undefined {
  if (issue?.code !== 'unrecognized_keys') return undefined;
  let place: unknown = schema;
  for (const part of issue.path) place = fieldsOf(place)?.[part as string];
  const fields = fieldsOf(place);
  return fields && Object.keys(fields);
}

function fieldsOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return fieldsOf(schema.unwrap());
  return schema instanceof z.ZodObject ? schema.shape : undefined;
}
