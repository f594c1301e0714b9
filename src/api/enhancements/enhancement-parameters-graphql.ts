import type { FieldMap, InputFieldMap } from '@pothos/core';
import { z } from 'zod';
import {
  COLOR_ADJUSTMENTS,
  CONTRACT_PDF_PARAMETERS,
  IMAGE_PARAMETERS,
  PDF_OPTIONS,
  type ColorConfig,
  type ParameterField,
  type ParametersRepresentation,
  type PdfOptions,
} from '@burnish/contract';
import { colorConfigSchema, enhancementParametersInput, pdfOptionsSchema } from '@burnish/contract/schemas';
import { builder, type InputFieldBuilder, type ObjectFieldBuilder } from '../graphql/builder.ts';
import * as enums from '../graphql/enums.ts';
import { inputTypeOf, typeOf } from '../graphql/derived-type.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { inputFields, restInput } from '../graphql/rest-inputs.ts';
import { customMetadataText } from '../schemas/fields.ts';
import { destinationOrderSchema } from './destination-schemas.ts';
import { enhancementInputSchema, enhancementOrderSchema } from './enhancement-order-schemas.ts';
import { enhancementSchema } from './enhancement-schemas.ts';

type Table = Record<string, ParameterField>;

const BESIDE_PDF = { ...IMAGE_PARAMETERS, ...CONTRACT_PDF_PARAMETERS };

/**
 * The type of a parameter other than an object. @throws Error for an object, since its input and output types differ
 */
function leafType(name: string, field: ParameterField) {
  switch (field.type) {
    case 'choice':
      return enums.PARAMETER_ENUMS[name]!;
    case 'choices':
      return [enums.PARAMETER_ENUMS[name]!] as [(typeof enums.PARAMETER_ENUMS)[string]];
    case 'images':
      return 'PdfImageChoices';
    case 'pages':
      return 'PdfPageChoices';
    case 'number':
      return field.integer === true ? 'Int' : 'Decimal';
    case 'boolean':
      return 'Boolean';
    case 'string':
      return 'String';
    case 'color':
      throw new Error(`The parameter ${name} is an object.`);
  }
}

/** An output field for each parameter of a table; null where the caller did not give it. */
function answerFields<Values extends object>(t: ObjectFieldBuilder<Values>, table: Table): FieldMap {
  const fields = Object.entries(table).map(([name, field]) => [
    name,
    t.field({
      type: field.type === 'color' ? CustomColorConfig : leafType(name, field),
      nullable: true,
      resolve: (values) => (values as Record<string, unknown>)[name] as never,
    }),
  ]);
  return Object.fromEntries(fields) as FieldMap;
}

function tableFields(t: InputFieldBuilder, table: Table): InputFieldMap {
  const fields = Object.entries(table).map(([name, field]) => [
    name,
    t.field({ type: field.type === 'color' ? CustomColorConfigInput : leafType(name, field) }),
  ]);
  return Object.fromEntries(fields) as InputFieldMap;
}

/** Input fields of all parameters of an enhancement. */
export const parameterInputFields = (t: InputFieldBuilder): InputFieldMap => ({
  ...tableFields(t, BESIDE_PDF),
  pdf: t.field({ type: PdfOptionsInput }),
});

const CustomColorConfig = builder.objectRef<Partial<ColorConfig>>('CustomColorConfig').implement({
  description: 'Requested colour adjustments of the images in a PDF. Adjustments without a value are null.',
  restSchema: colorConfigSchema,
  fields: (t) => answerFields(t, COLOR_ADJUSTMENTS),
});

const PdfOptionsType = builder.objectRef<PdfOptions>('PdfOptions').implement({
  restSchema: pdfOptionsSchema,
  fields: (t) => answerFields(t, PDF_OPTIONS),
});

/** Output fields of all parameters of an enhancement. */
export const parameterFields = <Values extends ParametersRepresentation>(t: ObjectFieldBuilder<Values>) => ({
  ...answerFields(t, BESIDE_PDF),
  pdf: t.field({ type: PdfOptionsType, resolve: ({ pdf }) => pdf ?? {} }),
});

typeOf(
  enhancementSchema.shape.parameters,
  builder.objectRef<ParametersRepresentation>('EnhancedImageParameters').implement({
    restSchema: enhancementSchema.shape.parameters,
    fields: (t) => parameterFields(t),
  }),
);

const CustomColorConfigInput = builder.inputType('CustomColorConfigInput', {
  description: 'Colour adjustments of the images in a PDF.',
  restSchema: colorConfigSchema,
  fields: (t) => tableFields(t, COLOR_ADJUSTMENTS),
});

const PdfOptionsInput = builder.inputType('PdfOptionsInput', {
  restSchema: pdfOptionsSchema,
  fields: (t) => tableFields(t, PDF_OPTIONS),
});

inputTypeOf(
  enhancementParametersInput,
  builder.inputType('EnhancementParametersInput', {
    description: 'Parameters of an enhancement. Image parameters refuse PDFs, and PDF parameters refuse images.',
    restSchema: enhancementParametersInput.in,
    fields: parameterInputFields,
  }),
);

restInput('DestinationInput', destinationOrderSchema);

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

const { maxCredits, destination, reference, priority, creditWait, preset } = enhancementOrderSchema.in.shape;
const customMetadata = customMetadataText.optional();
const besideParameters = z.object({ maxCredits, destination, reference, customMetadata, priority, creditWait });

inputTypeOf(
  enhancementInput,
  builder.inputType('CreateEnhancedImageInput', {
    description: restText(enhancementOrderSchema),
    restSchema: enhancementOrderSchema.in,
    fields: (t) => ({
      ...parameterInputFields(t),
      preset: t.field({
        type: enums.Preset,
        description: `${PUBLIC_SERVICE} name of \`mode\`, which takes precedence.`,
      }),
      presetName: t.string({ description: restText(preset) }),
      noiseReductionProfilingMonochromeStrength: t.field({
        type: 'Decimal',
        description: `${PUBLIC_SERVICE} strength of luminance noise reduction, 0.0 to 1.0. The greater of this and \`noiseReductionProfilingStrength\` applies to all noise.`,
      }),
      ...inputFields((options) => t.field(options), besideParameters),
    }),
  }),
);
