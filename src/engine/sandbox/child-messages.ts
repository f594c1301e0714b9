import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import {
  MAX_CAUSE_LENGTH,
  MAX_DETAIL_LENGTH,
  TASK_FAILURE_CODES,
  type ChildMessage,
  type WireFailure,
} from './messages.ts';

const progress = z.object({
  step: z.string().max(100),
  // A sum of shares can exceed the whole by a rounding error, and a share of nothing is no number, which JSON writes as null.
  fraction: z
    .number()
    .nullable()
    .transform((value) => Math.min(1, Math.max(0, value ?? 0))),
  images: z.int().min(0).optional(),
});

const failure = z
  .object({
    code: z.enum(TASK_FAILURE_CODES),
    detail: z.string().max(MAX_DETAIL_LENGTH).optional(),
    field: z.string().max(100).optional(),
    machinery: z.literal('disk').optional(),
    cause: z.string().max(MAX_CAUSE_LENGTH).optional(),
  })
  // A task waits for the disk and for no other part, and for as long as the failure is repeated.
  .refine(({ code, machinery }) => (code === 'UNAVAILABLE') === (machinery === 'disk'));

const id = z.string().max(100);

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('progress'), id, progress }),
  z.object({ type: z.literal('done'), id, output: z.unknown().optional() }),
  z.object({ type: z.literal('failed'), id, failure }),
]);

/**
 * Checks a value from a child. The output of a task stays unchecked.
 * @throws ZodError for anything that the code of a child does not send
 */
export function parseChildMessage(value: unknown): ChildMessage {
  return message.parse(value) as ChildMessage;
}

/** Restores the Failure that a child reported. */
export function fromWire({ code, detail, field, machinery, cause }: WireFailure): Failure {
  return new Failure(code, {
    ...(machinery !== undefined && { machinery }),
    ...(detail !== undefined && { detail }),
    ...(field !== undefined && { field }),
    ...(cause !== undefined && { cause: new Error(cause) }),
  });
}
