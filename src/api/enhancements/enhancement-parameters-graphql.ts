import { z } from 'zod';
import {
  CONTRACT_PDF_PARAMETERS,
  IMAGE_PARAMETERS,
  PDF_OPTIONS,
  type ParameterField,
  type ParametersRepresentation,
} from '@burnish/contract';
import {
  colorConfigSchema,
  enhancementParametersInput,
  parametersSchema,
  pdfOptionsSchema,
} from '@burnish/contract/schemas';
import { builder, type ObjectFieldBuilder } from '../graphql/builder.ts';
import * as enums from '../graphql/enums.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { inputFields, inputTypeOf, restInput } from '../graphql/rest-inputs.ts';
import { recordType, restType, typeOf } from '../graphql/rest-types.ts';
import { enhancementInputSchema, enhancementOrderSchema } from './enhancement-order-schemas.ts';
import { enhancementSchema } from './enhancement-schemas.ts';

const SCALARS: Partial<Record<ParameterField['type'], 'PdfImageChoices' | 'PdfPageChoices'>> = {
  images: 'PdfImageChoices',
  pages: 'PdfPageChoices',
};

/** Gives the parameters with choices their enums and scalars. */
function nameChoices(table: Record<string, ParameterField>, shape: Readonly<Record<string, z.core.$ZodType>>): void {
  for (const [name, field] of Object.entries(table)) {
    const type = enums.PARAMETER_ENUMS[name] ?? SCALARS[field.type];
    if (type === undefined) continue;
    const given = (shape[name] as z.ZodOptional).unwrap();
    const schema = given instanceof z.ZodArray ? given.element : given;
    typeOf(schema, type);
    inputTypeOf(schema, type);
  }
}
nameChoices({ ...IMAGE_PARAMETERS, ...CONTRACT_PDF_PARAMETERS }, parametersSchema.shape);
nameChoices(PDF_OPTIONS, pdfOptionsSchema.shape);

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

/** The options of a PDF, which a record without them shows as an empty object. */
export const pdfField = <Values extends ParametersRepresentation>(t: ObjectFieldBuilder<Values>) => ({
  pdf: t.field({ type: recordType(pdfOptionsSchema), resolve: ({ pdf }) => pdf ?? {} }),
});

restType(enhancementSchema.shape.parameters, pdfField);

interface Aliased {
  mode?: unknown;
  noiseReductionProfilingStrength?: number;
  presetName?: string;
  preset?: string;
  noiseReductionProfilingMonochromeStrength?: number;
}

/**
 * Replaces the public service's names by those of the contract. The public service calls a mode `preset`, so a saved preset is
 * `presetName`.
 */
function withoutAliases({ preset, presetName, noiseReductionProfilingMonochromeStrength, ...input }: Aliased): object {
  const { mode = preset === 'DEFAULT' ? 'ENHANCE' : preset, noiseReductionProfilingStrength: strength = 0 } = input;
  return {
    ...input,
    ...(presetName !== undefined && { preset: presetName }),
    ...(mode !== undefined && { mode }),
    ...(noiseReductionProfilingMonochromeStrength !== undefined && {
      noiseReductionProfilingStrength: Math.max(strength, noiseReductionProfilingMonochromeStrength),
    }),
  };
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
        type: enums.Preset,
        description: `${PUBLIC_SERVICE} name of \`mode\`, which takes precedence.`,
      }),
      noiseReductionProfilingMonochromeStrength: t.field({
        type: 'Decimal',
        description: `${PUBLIC_SERVICE} strength of luminance noise reduction, 0.0 to 1.0. The greater of this and \`noiseReductionProfilingStrength\` applies to all noise.`,
      }),
    }),
  }),
);
