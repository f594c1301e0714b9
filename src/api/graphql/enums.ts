import type { z } from 'zod';
import { PARAMETERS, type ParameterField, FAILURES } from '@burnish/contract';
import * as enums from '../schemas/enums.ts';
import { currentProvider, errorCode } from '../schemas/fields.ts';
import { builder } from './builder.ts';
import { restText } from './described-schema.ts';
import { inputTypeOf, typeOf } from './derived-type.ts';

/** The GraphQL enum of described values. @param schema its fields in REST, which have this type in GraphQL */
export function enumType<Value extends string>(
  name: string,
  { description, values, schema }: Omit<enums.DescribedEnum<Value>, 'schema'> & { schema?: z.core.$ZodType },
) {
  const described = Object.entries<string>(values).map(([value, text]) => [value, { description: text }] as const);
  const options = { description, values: Object.fromEntries(described) as Record<Value, { description: string }> };
  const type = builder.enumType<string, Record<Value, { description: string }>>(name, options);
  if (schema === undefined) return type;
  inputTypeOf(schema, type);
  return typeOf(schema, type);
}

export const UploadStatus = enumType('UploadStatus', enums.uploadStatus);
export const UploadSubStatus = enumType('UploadSubStatus', enums.uploadSubStatus);
export const EnhancedImageStatus = enumType('EnhancedImageStatus', enums.enhancementStatus);
enumType('WaitingFor', enums.waitingForEnum);
export const DeletionReason = enumType('UploadDeletionReason', enums.deletionReason);
export const WebhookDisabledReason = enumType('WebhookDisabledReason', enums.disabledReason);
enumType('WebhookFormat', enums.webhookFormat);
export const DeliveryStatus = enumType('WebhookDeliveryStatus', enums.deliveryStatus);
export const DeliveryOutcome = enumType('WebhookAttemptOutcome', enums.attemptOutcome);
typeOf(currentProvider, enumType('Provider', enums.provider));
enumType('Fallback', enums.fallback);
export const ApiKeyScope = enumType('ApiKeyScope', enums.apiKeyScope);
enumType('Priority', enums.priority);

export const ErrorCode = enumType('ErrorCode', {
  schema: errorCode,
  description: `${restText(errorCode)} GraphQL errors have it as \`extensions.code\`.`,
  values: Object.fromEntries(
    Object.entries(FAILURES).map(([code, { sentence, retryable }]) => [
      code,
      `${sentence} ${retryable ? 'A retry can succeed.' : 'A retry cannot succeed.'}`,
    ]),
  ) as Record<keyof typeof FAILURES, string>,
});

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
