import { z } from 'zod';
import { MAX_SAVED_REFERENCE_LENGTH } from '@burnish/contract';
import { enhancementList, MAX_ORDERED_ENHANCEMENTS, flattened, parametersSchema } from '@burnish/contract/schemas';
import type { EnhancementOrder, OrderLabels } from '../commands/command-types.ts';
import { customMetadataText, labels } from '../schemas/fields.ts';
import * as enums from '../schemas/enums.ts';
import { destinationOrderSchema, toDestinationOrder } from './destination-schemas.ts';

/** Seconds that an enhancement waits for credits by default (docs/contract.md: 24 h). */
const DEFAULT_CREDIT_WAIT_SECONDS = 86_400;
const MAX_CREDIT_WAIT_SECONDS = 30 * 86_400;
const MAX_CREDITS = 1_000_000_000;

/** Spending limits: of one enhancement, or of an upload for enhancements without their own. */
export const spending = {
  maxCredits: z.number().int().min(0).max(MAX_CREDITS).meta({
    description: 'Credits. An estimate above this number makes the enhancement AWAITING_APPROVAL. Absent: no limit.',
    example: 10,
  }),
  creditWait: z
    .number()
    .int()
    .min(0)
    .max(MAX_CREDIT_WAIT_SECONDS)
    .meta({
      description: `Maximum wait for credits in seconds. Afterwards the enhancement fails with INSUFFICIENT_CREDITS; 0 fails at once. Default ${DEFAULT_CREDIT_WAIT_SECONDS} (24 hours).`,
      example: 3600,
    }),
};

export const presetReference = z.string().max(MAX_SAVED_REFERENCE_LENGTH).meta({
  description:
    'Saved preset: `web` for its latest version, or `web@3` for version 3. Parameters of the order take precedence.',
  example: 'web@3',
});

/** Public names of priorities. `interactive` applies to callers that wait; they cannot order it. */
export const PRIORITY_NAMES = { STANDARD: 'single', BATCH: 'batch' } as const;
export const priority = enums.priority.schema;

const orderFields = parametersSchema.extend({
  maxCredits: spending.maxCredits.optional(),
  creditWait: spending.creditWait.optional(),
  preset: presetReference.optional(),
  destination: destinationOrderSchema.optional(),
  ...labels,
  priority: priority.optional().meta({
    description: 'Priority of the work. Default: the priority of the upload, and STANDARD for a later enhancement.',
  }),
});
/** One of the `enhancements` of an order: its parameters, its maximum credits, and the maximum time that it waits for them. */
export const enhancementOrderSchema = flattened(orderFields).meta({
  id: 'EnhancementOrder',
  description:
    'Parameters of one enhancement. Images accept only image parameters, and PDFs only PDF parameters: BAD_USER_INPUT names the field.',
  example: { mode: 'ENHANCE', upscalingFactor: 'X2' },
});
/** The same schema as a GraphQL input, where metadata is JSON text. */
export const enhancementInputSchema = flattened(orderFields.extend({ customMetadata: customMetadataText.optional() }));
type EnhancementOrderBody = z.infer<typeof enhancementOrderSchema>;

interface Spending {
  maxCredits?: number | undefined;
  creditWait?: number | undefined;
}

/** `maxCredits` and `creditWait` beside `enhancements`. */
export const spendingDefaults = {
  maxCredits: spending.maxCredits
    .optional()
    .meta({ description: 'Credits: `maxCredits` of each enhancement that does not set one.' }),
  creditWait: spending.creditWait
    .optional()
    .meta({ description: 'Seconds: `creditWait` of each enhancement that does not set one.' }),
};

/** `POST /v1/uploads/{id}/enhancements`, and an estimate. */
export const createEnhancementsBody = z
  .strictObject({
    enhancements: enhancementList(enhancementOrderSchema).meta({
      description: `1 to ${MAX_ORDERED_ENHANCEMENTS} enhancements of the upload. Either all are accepted, or none.`,
    }),
    ...spendingDefaults,
  })
  .meta({ id: 'CreateEnhancements' });

export const toEnhancementOrders = ({
  enhancements,
  ...defaults
}: z.infer<typeof createEnhancementsBody>): EnhancementOrder[] =>
  enhancements.map((each) => toEnhancementOrder(each, defaults));

/** Converts an enhancement of an order for commands: times in milliseconds, with defaults. */
export function toEnhancementOrder(
  {
    maxCredits,
    creditWait,
    preset,
    destination,
    priority,
    reference,
    customMetadata,
    ...parameters
  }: EnhancementOrderBody,
  defaults: Spending = {},
): EnhancementOrder {
  const waitSeconds = creditWait ?? defaults.creditWait ?? DEFAULT_CREDIT_WAIT_SECONDS;
  return {
    parameters,
    maxCredits: maxCredits ?? defaults.maxCredits ?? null,
    creditWaitMs: waitSeconds * 1000,
    ...(preset === undefined ? {} : { preset }),
    ...(destination === undefined ? {} : { destination: toDestinationOrder(destination) }),
    ...(priority === undefined ? {} : { urgency: PRIORITY_NAMES[priority] }),
    ...pickLabels({ reference, customMetadata }),
  };
}

/** Labels of an order; omits absent ones. */
export function pickLabels({
  reference,
  customMetadata,
}: { [Name in keyof OrderLabels]: OrderLabels[Name] | undefined }): OrderLabels {
  return {
    ...(reference === undefined ? {} : { reference }),
    ...(customMetadata === undefined ? {} : { customMetadata }),
  };
}
