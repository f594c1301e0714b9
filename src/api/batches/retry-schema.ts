import { z } from 'zod';
import { MAX_RETRIED_KEYS, MAX_SHOWN_KEY_LENGTH } from '../../domain/batch/batch-rules.ts';

export const retryBatchBody = z
  .strictObject({
    keys: z
      .array(z.string().min(1).max(MAX_SHOWN_KEY_LENGTH))
      .min(1)
      .max(MAX_RETRIED_KEYS)
      .optional()
      .meta({
        description: `Keys of 1 to ${MAX_RETRIED_KEYS} items. Keys without a failed item change nothing. Default: all failed items.`,
        example: ['shoes/one.jpg'],
      }),
  })
  .optional()
  .meta({ id: 'RetryBatch' });
