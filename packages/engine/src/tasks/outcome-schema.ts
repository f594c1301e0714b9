import { z } from 'zod';
import { IMAGE_KIND_NAMES, KIND_REASON_NAMES, LEFT_ALONE_REASONS } from '@burnish/contract/engine';

/* What the outcome of an enhancement of an image can be, in reports. */

const shows = z.object({ kind: z.enum(IMAGE_KIND_NAMES), reason: z.enum(KIND_REASON_NAMES) });
const colorsStay = z
  .discriminatedUnion('because', [
    z.object({ because: z.enum(['not-asked', 'chosen', 'masked', 'inks']) }),
    z.object({ because: z.enum(['no-page', 'kind']), shows }),
  ])
  .nullable();
const target = z.number();
const sizeStays = z.discriminatedUnion('because', [
  z.object({ because: z.enum(['not-asked', 'no-extent']) }),
  z.object({ because: z.literal('enough'), resolution: z.number(), target }),
  z.object({ because: z.literal('threshold'), target, times: z.number(), threshold: z.number() }),
]);
const below = z
  .discriminatedUnion('because', [
    z.object({ because: z.literal('growth') }),
    z.object({ because: z.literal('scale'), target, most: z.number() }),
  ])
  .nullable();
const change = z.union([
  z.object({ mask: z.object({ width: z.number(), height: z.number() }).nullable(), isFree: z.boolean() }),
  z.object({ enlarged: z.boolean(), color: z.enum(['corrected', 'cleaned']).nullable() }),
]);

export const imageOutcome = z.discriminatedUnion('effect', [
  z.object({ effect: z.literal('planned'), change, colorsStay }),
  z.object({ effect: z.literal('done'), change, colorsStay, below }),
  z.object({ effect: z.literal('mask-done'), change }),
  z.object({ effect: z.literal('kept'), because: z.enum(['clean', 'growth', 'needless']) }),
  z.object({
    effect: z.literal('left-alone'),
    because: z.enum([...LEFT_ALONE_REASONS, 'kept-page', 'dropped-page', 'hidden', 'featureless']),
  }),
  z.object({ effect: z.literal('unchanged'), sizeStays, colorsStay }),
]);
