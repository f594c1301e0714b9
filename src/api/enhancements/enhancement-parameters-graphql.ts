import type { FieldMap, InputFieldMap } from '@pothos/core';
import {
  COLOR_ADJUSTMENTS,
  CONTRACT_PDF_PARAMETERS,
  IMAGE_PARAMETERS,
  PDF_OPTIONS,
  type ColorConfig,
  type ParameterField,
  type PdfOptionName,
} from '@burnish/engine/contract';
import { colorConfigSchema } from '../../domain/enhancement/parameters-schema.ts';
import type { ParametersRepresentation, PdfOptions } from '../../domain/representations/parameters.ts';
import {
  enhancementParametersInput,
  insteadOfFlat,
  pdfOptionsSchema,
} from '../../domain/representations/parameters-schema.ts';
import { builder, type InputFieldBuilder, type ObjectFieldBuilder } from '../graphql/builder.ts';
import * as enums from '../graphql/enums.ts';
import { labelInputFields } from '../graphql/labels.ts';
import { restText } from '../graphql/described-schema.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';
import { typeOf } from '../graphql/rest-types.ts';
import { destinationOrderSchema } from './destination-schemas.ts';
import { enhancementOrderSchema, enhancementSchema } from './enhancement-schemas.ts';

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

/**
 * The options of PDFs by their flat names. They lack `@deprecated`: 1.0.0-rc.1 sends to another instance only those parameters
 * that its introspection lists, which leaves out deprecated fields.
 */
function flatFields(t: ObjectFieldBuilder<ParametersRepresentation>): FieldMap {
  const fields = Object.entries<ParameterField>(PDF_OPTIONS).map(([name, field]) => [
    name,
    t.field({
      type: leafType(name, field),
      nullable: true,
      description: insteadOfFlat(name),
      resolve: ({ pdf }) => pdf?.[name as PdfOptionName] as never,
    }),
  ]);
  return Object.fromEntries(fields) as FieldMap;
}

function inputFields(t: InputFieldBuilder, table: Table, deprecationReason?: (name: string) => string): InputFieldMap {
  const fields = Object.entries(table).map(([name, field]) => [
    name,
    t.field({
      type: field.type === 'color' ? CustomColorConfigInput : leafType(name, field),
      ...(deprecationReason && { deprecationReason: deprecationReason(name) }),
    }),
  ]);
  return Object.fromEntries(fields) as InputFieldMap;
}

/** The parameters of an order, and the flat names of the options of PDFs. */
const orderFields = (t: InputFieldBuilder): InputFieldMap => ({
  ...inputFields(t, BESIDE_PDF),
  pdf: t.field({ type: PdfOptionsInput }),
  ...inputFields(t, PDF_OPTIONS, insteadOfFlat),
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

typeOf(
  enhancementSchema.shape.parameters,
  builder.objectRef<ParametersRepresentation>('EnhancedImageParameters').implement({
    restSchema: enhancementSchema.shape.parameters,
    fields: (t) => ({
      ...answerFields(t, BESIDE_PDF),
      pdf: t.field({ type: PdfOptionsType, resolve: ({ pdf }) => pdf ?? {} }),
      ...flatFields(t),
    }),
  }),
);

const CustomColorConfigInput = builder.inputType('CustomColorConfigInput', {
  description: 'Colour adjustments of the images in a PDF.',
  restSchema: colorConfigSchema,
  fields: (t) => inputFields(t, COLOR_ADJUSTMENTS),
});

const PdfOptionsInput = builder.inputType('PdfOptionsInput', {
  restSchema: pdfOptionsSchema,
  fields: (t) => inputFields(t, PDF_OPTIONS),
});

export const EnhancementParametersInput = builder.inputType('EnhancementParametersInput', {
  description: 'Parameters of an enhancement. Image parameters refuse PDFs, and PDF parameters refuse images.',
  restSchema: enhancementParametersInput.in,
  fields: orderFields,
});

const DestinationInput = builder.inputType('DestinationInput', {
  restSchema: destinationOrderSchema,
  fields: (t) => ({ url: t.string(), bucket: t.string(), key: t.string() }),
});

export const CreateEnhancedImageInput = builder.inputType('CreateEnhancedImageInput', {
  description: restText(enhancementOrderSchema),
  restSchema: enhancementOrderSchema.in,
  fields: (t) => ({
    ...orderFields(t),
    preset: t.field({
      type: enums.Preset,
      description: `${PUBLIC_SERVICE} name of \`mode\`, which takes precedence.`,
    }),
    presetName: t.string({ description: restText(enhancementOrderSchema.in.shape.preset) }),
    noiseReductionProfilingMonochromeStrength: t.field({
      type: 'Decimal',
      description: `${PUBLIC_SERVICE} strength of luminance noise reduction, 0.0 to 1.0. The greater of this and \`noiseReductionProfilingStrength\` applies to all noise.`,
    }),
    maxCredits: t.int(),
    destination: t.field({ type: DestinationInput }),
    ...labelInputFields(t),
    priority: t.field({ type: enums.PriorityEnum }),
    creditWait: t.int(),
  }),
});

interface Aliases {
  presetName?: string | null | undefined;
  preset?: string | null | undefined;
  noiseReductionProfilingMonochromeStrength?: number | null | undefined;
}
interface Aliased {
  mode?: unknown;
  noiseReductionProfilingStrength?: number | null | undefined;
}

/**
 * The input with the public service's names replaced by those of the contract. The public service calls a mode `preset`, so a
 * saved preset is `presetName`.
 */
export function withoutAliases<Input extends Aliases & Aliased>({
  preset,
  presetName,
  noiseReductionProfilingMonochromeStrength: monochrome,
  ...input
}: Input): object {
  const { mode, noiseReductionProfilingStrength: strength } = input;
  const named = preset === 'DEFAULT' ? 'ENHANCE' : preset;
  return {
    ...input,
    preset: presetName,
    ...((mode ?? null) === null && { mode: named }),
    ...((monochrome ?? null) !== null && {
      noiseReductionProfilingStrength: Math.max(strength ?? 0, monochrome ?? 0),
    }),
  };
}
