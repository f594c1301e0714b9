import type { MessageReaders } from '@burnish/jail';
import { z } from 'zod';
import type { EnhancementProgress } from '../contract/progress.ts';
import { Failure } from '../../domain/failures.ts';
import { MAX_DETAIL_LENGTH, TASK_FAILURE_CODES } from './wire-failure.ts';

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
  })
  // A task waits for the disk and for no other part, and for as long as the failure is repeated.
  .refine(({ code, machinery }) => (code === 'UNAVAILABLE') === (machinery === 'disk'));

/** Checks what children say of their tasks. A ZodError for anything that the code of a child does not send ends the child. */
export const messageReaders: MessageReaders<EnhancementProgress> = {
  progress: (value) => progress.parse(value) as EnhancementProgress,
  failure(value, cause) {
    const { code, detail, field, machinery } = failure.parse(value);
    return new Failure(code, {
      ...(machinery !== undefined && { machinery }),
      ...(detail !== undefined && { detail }),
      ...(field !== undefined && { field }),
      ...(cause !== undefined && { cause }),
    });
  },
};
