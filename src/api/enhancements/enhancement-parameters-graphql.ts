import { z } from 'zod';
import type { ParametersRepresentation } from '@burnish/contract';
import {
  colorConfigSchema,
  enhancementParametersInput,
  parametersSchema,
  pdfOptionsSchema,
} from '@burnish/contract/schemas';
import { builder, type ObjectFieldBuilder } from '../graphql/builder.ts';
import { Preset, sharedTypeOf } from '../graphql/enums.ts';
import { withLook } from '../graphql/input.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/names.ts';
import { inputFields, inputTypeOf, restInput } from '../graphql/rest-inputs.ts';
import { recordType, restType } from '../graphql/rest-types.ts';
import { enhancementInputSchema, enhancementOrderSchema } from './enhancement-order-schemas.ts';
import { enhancementSchema } from './enhancement-schemas.ts';

restType(
  colorConfigSchema,
  undefined,
  'Requested colour adjustments of the images in a PDF. Adjustments without a value are null.',
);
restInput('CustomColorConfigInput', colorConfigSchema, 'Colour adjustments of the images in a PDF.');
restInput(
  'EnhancementParametersInput',
  enhancementParametersInput.in,
  'Parameters of an enhancement. Image parameters refuse PDFs, and PDF parameters refuse images.',
);

const modeSchema = parametersSchema.shape.mode;

/** The options of a PDF, which a record without them shows as an empty object, and the look, which is no mode in GraphQL. */
export const parameterFields = <Values extends ParametersRepresentation>(t: ObjectFieldBuilder<Values>) => ({
  mode: t.field({
    type: sharedTypeOf(modeSchema.unwrap())! as never,
    nullable: true,
    description: restText(modeSchema, 'mode'),
    resolve: ({ mode }) => (typeof mode === 'object' ? null : mode) as never,
  }),
  look: t.string({
    nullable: true,
    description: 'Look of the account with its version, such as `warm@3`. Null without one.',
    resolve: ({ mode }) => (typeof mode === 'object' ? mode.look : null),
  }),
  pdf: t.field({ type: recordType(pdfOptionsSchema), resolve: ({ pdf }) => pdf ?? {} }),
});

restType(enhancementSchema.shape.parameters, parameterFields);

interface Aliased {
  mode?: unknown;
  look?: unknown;
  noiseReductionProfilingStrength?: number;
  presetName?: string;
  preset?: string;
  noiseReductionProfilingMonochromeStrength?: number;
}

/**
 * Replaces the public service's names by those of the contract. The public service calls a mode `preset`, so a saved preset is
 * `presetName`.
 */
function withoutAliases({
  preset,
  presetName,
  look,
  noiseReductionProfilingMonochromeStrength,
  ...input
}: Aliased): object {
  const { mode = preset === 'DEFAULT' ? 'ENHANCE' : preset, noiseReductionProfilingStrength: strength = 0 } = input;
  const named = {
    ...input,
    ...(presetName !== undefined && { preset: presetName }),
    ...(mode !== undefined && { mode }),
    ...(noiseReductionProfilingMonochromeStrength !== undefined && {
      noiseReductionProfilingStrength: Math.max(strength, noiseReductionProfilingMonochromeStrength),
    }),
  };
  return withLook(named, look);
}

/** One enhancement in GraphQL: as in REST, with metadata as JSON text and with the names of the public service. */
export const enhancementInput = z
  .preprocess((given) => withoutAliases(given as Aliased), enhancementInputSchema)
  .meta({ description: restText(enhancementOrderSchema) });

inputTypeOf(
  enhancementInput,
  builder.inputType('CreateEnhancedImageInput', {
    description: restText(enhancementOrderSchema),
    restSchema: enhancementInputSchema.in,
    fields: (t) => ({
      ...inputFields((options) => t.field(options), enhancementInputSchema.in),
      preset: t.field({
        type: Preset,
        description: `${PUBLIC_SERVICE} name of \`mode\`, which takes precedence.`,
      }),
      noiseReductionProfilingMonochromeStrength: t.field({
        type: 'Decimal',
        description: `${PUBLIC_SERVICE} strength of luminance noise reduction, 0.0 to 1.0. The greater of this and \`noiseReductionProfilingStrength\` applies to all noise.`,
      }),
    }),
  }),
);
