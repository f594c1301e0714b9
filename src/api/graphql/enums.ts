import type { z } from 'zod';
import { PARAMETERS, type ParameterField, FAILURES } from '@burnish/contract';
import { type DescribedEnum, findDescribedEnum, provider } from '../schemas/enums.ts';
import { currentProvider, errorCode } from '../schemas/fields.ts';
import { builder } from './builder.ts';
import { restText } from './described-schema.ts';
import { TYPE_NAMES } from './names.ts';

type EnumType = ReturnType<typeof enumType>;

/** The GraphQL enum of described values. */
export function enumType<Value extends string>(
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

/** Enums are the same in answers and in requests. */
const ENUMS = new Map<z.core.$ZodType, EnumType>([[errorCode, ErrorCode]]);
ENUMS.set(currentProvider, enumOf(provider.schema)!);

/** The GraphQL enum of a schema in REST with described values; undefined for any other schema. */
export function enumOf(schema: z.core.$ZodType): EnumType | undefined {
  const described = findDescribedEnum(schema);
  const known = ENUMS.get(schema);
  if (known !== undefined || described === undefined) return known;
  const type = enumType(TYPE_NAMES[described.id] ?? described.id, described);
  ENUMS.set(schema, type);
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

/** The enums of parameters with fixed choices, by the parameter's name. */
export const PARAMETER_ENUMS = Object.fromEntries(
  Object.entries<ParameterField>(PARAMETERS).flatMap(([name, field]) =>
    field.type === 'choice' || field.type === 'choices'
      ? [[name, enumType(field.enumType.name, { description: field.enumType.description, values: field.values })]]
      : [],
  ),
);
