import { z } from 'zod';

/** Items that one command names. */
const MAX_RETRIED_KEYS = 50;
/** Characters of the longest key: a URL with the digest of its query. */
const MAX_SHOWN_KEY_LENGTH = 2_100;

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
