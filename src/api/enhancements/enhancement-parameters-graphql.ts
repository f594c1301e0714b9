import type { FieldMap, InputFieldMap } from '@pothos/core';
import type { ParameterField } from '../../domain/enhancement/parameter-field.ts';
import {
  COLOR_ADJUSTMENTS,
  IMAGE_PARAMETERS,
  PARAMETERS,
  PDF_PARAMETERS,
} from '../../domain/enhancement/parameter-table.ts';
import type { ColorConfig, EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { builder, type InputFieldBuilder, type ObjectFieldBuilder } from '../graphql/builder.ts';
import * as enums from '../graphql/enums.ts';
import { labelInputFields } from '../graphql/labels.ts';
import { PUBLIC_SERVICE } from '../graphql/public-service.ts';

type Table = Record<string, ParameterField>;

/**
 * The type of a parameter other than an object. @throws Error for an object, since its input and output types differ
 */
function leafType(name: string, field: ParameterField) {
  switch (field.type) {
    case 'choice':
      return enums.PARAMETER_ENUMS[name]!;
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
      description: field.description,
      resolve: (values) => (values as Record<string, unknown>)[name] as never,
    }),
  ]);
  return Object.fromEntries(fields) as FieldMap;
}

/** An input field for each parameter of a table. @param describe returns the text of a field, given its description */
function inputFields(
  t: InputFieldBuilder,
  table: Table,
  describe = (description: string): string => description,
): InputFieldMap {
  const fields = Object.entries(table).map(([name, field]) => [
    name,
    t.field({
      type: field.type === 'color' ? CustomColorConfigInput : leafType(name, field),
      description: describe([field.description, ...(field.inputNote === undefined ? [] : [field.inputNote])].join(' ')),
    }),
  ]);
  return Object.fromEntries(fields) as InputFieldMap;
}

const CustomColorConfig = builder.objectRef<Partial<ColorConfig>>('CustomColorConfig').implement({
  description: 'Manual colour adjustments of the images in a PDF; null where nothing was said.',
  fields: (t) => answerFields(t, COLOR_ADJUSTMENTS),
});

export const EnhancedImageParameters = builder.objectRef<EnhancementParameters>('EnhancedImageParameters').implement({
  description: 'The parameters of an enhancement as they were asked for; null where nothing was said.',
  fields: (t) => answerFields(t, PARAMETERS),
});

const CustomColorConfigInput = builder.inputType('CustomColorConfigInput', {
  description: 'Manual colour adjustments of the images in a PDF.',
  fields: (t) => inputFields(t, COLOR_ADJUSTMENTS),
});

export const CreateEnhancedImageInput = builder.inputType('CreateEnhancedImageInput', {
  description:
    'Parameters of one enhancement. Those of images do not go with PDFs, nor those of PDFs with images: BAD_USER_INPUT names the field.',
  fields: (t) => ({
    ...inputFields(t, IMAGE_PARAMETERS, (description) => `For images: ${description}`),
    ...inputFields(t, PDF_PARAMETERS, (description) => `For PDFs: ${description}`),
    preset: t.field({
      type: enums.Preset,
      description: `${PUBLIC_SERVICE} name of \`mode\`, which counts where both are given.`,
    }),
    noiseReductionProfilingMonochromeStrength: t.field({
      type: 'Decimal',
      description: `${PUBLIC_SERVICE} name for the noise of brightness alone, 0.0 to 1.0. One strength holds for all noise here: the greater of this and \`noiseReductionProfilingStrength\`.`,
    }),
    maxCredits: t.int({
      description:
        'Credits, 0 or more. An estimate above it makes the enhancement AWAITING_APPROVAL. Absent: no review.',
    }),
    ...labelInputFields(t),
    priority: t.field({
      type: enums.PriorityEnum,
      description: 'Default: that of the upload, and STANDARD for a later enhancement.',
    }),
    creditWait: t.int({
      description:
        'Seconds, 0 to 2592000, that the enhancement waits for credits before it fails with INSUFFICIENT_CREDITS; 0 fails at once. Default 86400.',
    }),
  }),
});

interface Aliases {
  preset?: string | null | undefined;
  noiseReductionProfilingMonochromeStrength?: number | null | undefined;
}
interface Aliased {
  mode?: unknown;
  noiseReductionProfilingStrength?: number | null | undefined;
}

/** The input with the public service's names replaced by those of the contract. */
export function withoutAliases<Input extends Aliases & Aliased>({
  preset,
  noiseReductionProfilingMonochromeStrength: monochrome,
  ...input
}: Input): object {
  const { mode, noiseReductionProfilingStrength: strength } = input;
  const named = preset === 'DEFAULT' ? 'ENHANCE' : preset;
  return {
    ...input,
    ...((mode ?? null) === null && { mode: named }),
    ...((monochrome ?? null) !== null && {
      noiseReductionProfilingStrength: Math.max(strength ?? 0, monochrome ?? 0),
    }),
  };
}
