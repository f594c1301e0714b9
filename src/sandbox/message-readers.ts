import type { MessageReaders } from '@burnish/jail';
import { z } from 'zod';
import { EngineError, type EnhancementProgress } from '@burnish/engine/contract';
import { failureOf } from '../domain/engine-failure.ts';
import { MAX_DETAIL_LENGTH, TASK_ERROR_CODES } from '@burnish/engine/host';

const progress = z.object({
  step: z.string().max(100),
  // A sum of shares can exceed the whole by a rounding error, and a share of nothing is no number, which JSON writes as null.
  fraction: z
    .number()
    .nullable()
    .transform((value) => Math.min(1, Math.max(0, value ?? 0))),
  images: z.int().min(0).optional(),
});

const error = z.object({
  code: z.enum(TASK_ERROR_CODES),
  detail: z.string().max(MAX_DETAIL_LENGTH).optional(),
  field: z.string().max(100).optional(),
});

/** Checks what children say of their tasks. A ZodError for anything that the code of a child does not send ends the child. */
export const messageReaders: MessageReaders<EnhancementProgress> = {
  progress: (value) => progress.parse(value) as EnhancementProgress,
  failure(value, cause) {
    const { code, detail, field } = error.parse(value);
    return failureOf(
      new EngineError(code, {
        ...(detail !== undefined && { detail }),
        ...(field !== undefined && { field }),
        ...(cause !== undefined && { cause }),
      }),
    );
  },
};
