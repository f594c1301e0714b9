import { z } from 'zod';

/** Why a record waits or failed. The contract's `explain-record.ts` has the sentences. */
export const explanation = z
  .object({
    detail: z.string().meta({ description: 'What it waits for, or what was wrong.' }),
    remedy: z.string().meta({ description: 'What to do.' }),
  })
  .meta({ id: 'Explanation', description: 'Why a record waits or failed, and what to do.' })
  .nullable()
  .meta({ description: 'Why it waits or failed, and what to do. Null otherwise.' });
