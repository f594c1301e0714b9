import { z } from 'zod';
import { type Preset, PRESET_LIMITS, SAVED_NAME, SAVED_NAME_RULE, representParameters } from '@burnish/contract';
import { enhancementList, enhancementParametersInput } from '@burnish/contract/schemas';
import { enhancementSchema } from '../enhancements/enhancement-schemas.ts';
import { timestamp } from '../schemas/fields.ts';

export const presetName = z
  .string()
  .regex(SAVED_NAME, SAVED_NAME_RULE)
  .meta({
    description: `Name of the preset: ${SAVED_NAME_RULE}.`,
    example: 'web',
  });

export const savePresetBody = z
  .strictObject({
    enhancements: enhancementList(enhancementParametersInput, { max: 1 }).meta({
      description: 'The parameters of one enhancement. An order can replace single ones.',
    }),
  })
  .meta({ id: 'SavePreset' });

export const presetSchema = z
  .object({
    name: presetName,
    version: z.int().meta({
      description: `Number of the version, from 1 to at most ${PRESET_LIMITS.versions} at a time. A version never changes.`,
      example: 3,
    }),
    enhancements: z
      .array(enhancementSchema.shape.parameters)
      .meta({ description: 'The parameters of one enhancement.' }),
    createdAt: timestamp.meta({ description: 'Time at which this version was saved.' }),
  })
  .meta({ id: 'Preset', description: 'A saved set of parameters, by name and version.' });

export const representPreset = ({ parameters, ...preset }: Preset): z.infer<typeof presetSchema> => ({
  ...preset,
  enhancements: [representParameters(parameters)],
});
