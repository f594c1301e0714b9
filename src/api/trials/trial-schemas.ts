import { z } from 'zod';
import { MAX_TRIED_ORDERS, TRIAL_PART_SIDE, TRIAL_WHOLE_SIDE, FULL_PAGE_DPI } from '@burnish/contract';
import { enhancementList, flattened, hintAtUnknown, parametersSchema } from '@burnish/contract/schemas';
import { presetReference } from '../enhancements/enhancement-order-schemas.ts';

const MAX_PAGE = 1_000_000;
const share = z.number().min(0).max(1);

const triedEnhancement = z
  .strictObject(
    { ...parametersSchema.shape, preset: presetReference.optional() },
    hintAtUnknown('In a trial, an enhancement has parameters and a preset alone.'),
  )
  .meta({ id: 'TriedEnhancement', description: 'Parameters of an enhancement to try.' });

export const trialBody = z
  .strictObject({
    enhancements: enhancementList(flattened(triedEnhancement), { max: MAX_TRIED_ORDERS }).meta({
      description: `1 to ${MAX_TRIED_ORDERS} enhancements to compare.`,
    }),
    part: z
      .strictObject({
        x: share.meta({ description: 'Centre, in parts of the width.', example: 0.5 }),
        y: share.meta({ description: 'Centre, in parts of the height.', example: 0.5 }),
      })
      .meta({ id: 'TriedPart', description: 'A part of a picture or page by its centre.' })
      .optional()
      .meta({
        description: `Shows the part around this point with all its pixels, at most ${TRIAL_PART_SIDE} × ${TRIAL_PART_SIDE} of the result, or ${FULL_PAGE_DPI} DPI of a page. Absent: the whole picture or page, at most ${TRIAL_WHOLE_SIDE} pixels per side.`,
      }),
    page: z
      .number()
      .int()
      .min(1)
      .max(MAX_PAGE)
      .optional()
      .meta({ description: 'For PDFs: number of the page, from 1. Default 1.', example: 1 }),
  })
  .meta({ id: 'CreateTrial', description: 'Enhancements to try, and what to show.' });
export type TrialBody = z.output<typeof trialBody>;

const picture = (description: string) => z.string().meta({ description: `${description} WebP in sRGB, as base64.` });
const length = (description: string) => z.number().meta({ description, example: 0.25 });

export const trialSchema = z
  .object({
    area: z
      .object({
        left: length('Left edge, in parts of the width.'),
        top: length('Top edge, in parts of the height.'),
        width: length('Width, in parts of the width.'),
        height: length('Height, in parts of the height.'),
      })
      .meta({ id: 'TrialArea', description: 'What the pictures show of the whole picture or page.' }),
    original: picture('The original.'),
    enhancements: z
      .array(
        z
          .object({
            picture: picture('What the enhancement makes of it.'),
            changed: z.boolean().meta({ description: 'Whether the enhancement changes the picture or page.' }),
            notes: z.array(z.string()).meta({ description: 'Sentences about what was done and left out.' }),
          })
          .meta({ id: 'EnhancementTrial', description: 'What one enhancement would do.' }),
      )
      .meta({ description: 'One for each enhancement, in the order of the request.' }),
  })
  .meta({ id: 'Trial', description: 'What enhancements would do, shown before an order.' });
export type TrialRepresentation = z.input<typeof trialSchema>;
