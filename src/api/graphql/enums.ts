import { z } from 'zod';
import {
  CONTRACT_PDF_PARAMETERS,
  FAILURES,
  IMAGE_PARAMETERS,
  PDF_OPTIONS,
  type ParameterField,
} from '@burnish/contract';
import { parametersSchema, pdfOptionsSchema } from '@burnish/contract/schemas';
import { type DescribedEnum, findDescribedEnum, provider } from '../schemas/enums.ts';
import { currentProvider, errorCode } from '../schemas/fields.ts';
import { builder } from './builder.ts';
import { restText } from './described-schema.ts';
import { TYPE_NAMES } from './names.ts';

/** A type that answers and requests share. */
type SharedType = ReturnType<typeof enumType> | 'PdfImageChoices' | 'PdfPageChoices';

/** The GraphQL enum of described values. */
function enumType<Value extends string>(
  name: string,
  { description, values }: Pick<DescribedEnum<Value>, 'description' | 'values'>,
) {
  const described = Object.entries<string>(values).map(([value, text]) => [value, { description: text }] as const);
  const options = { description, values: Object.fromEntries(described) as Record<Value, { description: string }> };
  return builder.enumType<string, Record<Value, { description: string }>>(name, options);
}

const ErrorCode = enumType('ErrorCode', {
  description: `${restText(errorCode)} GraphQL errors have it as \`extensions.code\`.`,
  values: Object.fromEntries(
    Object.entries(FAILURES).map(([code, { sentence, retryable }]) => [
      code,
      `${sentence} ${retryable ? 'A retry can succeed.' : 'A retry cannot succeed.'}`,
    ]),
  ) as Record<keyof typeof FAILURES, string>,
});

const SHARED_TYPES = new Map<z.core.$ZodType, SharedType>([[errorCode, ErrorCode]]);
SHARED_TYPES.set(currentProvider, sharedTypeOf(provider.schema)!);

/** The enum of a schema in REST with described values, or the scalar of a parameter; undefined for any other schema. */
export function sharedTypeOf(schema: z.core.$ZodType): SharedType | undefined {
  const described = findDescribedEnum(schema);
  const known = SHARED_TYPES.get(schema);
  if (known !== undefined || described === undefined) return known;
  const type = enumType(TYPE_NAMES[described.id] ?? described.id, described);
  SHARED_TYPES.set(schema, type);
  return type;
}

export const Preset = enumType('EnhancedImageParametersPreset', {
  description: 'Names of `mode` in the public service.',
  values: {
    DEFAULT: 'Mode ENHANCE.',
    ENHANCE: 'Mode ENHANCE.',
    NATURAL: 'Mode NATURAL.',
    VIVID: 'Mode VIVID.',
    OFF: 'Mode OFF.',
  },
});

const SCALARS: Partial<Record<ParameterField['type'], SharedType>> = {
  images: 'PdfImageChoices',
  pages: 'PdfPageChoices',
};

/** Gives the parameters of a table with fixed choices their enums, and those by number their scalars. */
function nameParameters(table: Record<string, ParameterField>, shape: Readonly<Record<string, z.core.$ZodType>>): void {
  for (const [name, field] of Object.entries(table)) {
    const isChoice = field.type === 'choice' || field.type === 'choices';
    const type = isChoice
      ? enumType(field.enumType.name, { ...field.enumType, values: field.values })
      : SCALARS[field.type];
    const given = (shape[name] as z.ZodOptional).unwrap();
    if (type !== undefined) SHARED_TYPES.set(given instanceof z.ZodArray ? given.element : given, type);
  }
}
nameParameters({ ...IMAGE_PARAMETERS, ...CONTRACT_PDF_PARAMETERS }, parametersSchema.shape);
nameParameters(PDF_OPTIONS, pdfOptionsSchema.shape);
