import type { OutputType } from './type-registry.ts';

/* Where the contract, or an earlier version of the schema, names or types something in another way than REST. */

/** Marks names of the managed public service that differ from the contract's names; the schema has both. */
export const PUBLIC_SERVICE = 'Public service:';

/** Names of types in answers, by the component of REST. */
export const TYPE_NAMES: Readonly<Record<string, string>> = {
  AddedBatchItems: 'AddBatchItemsPayload',
  DeliveryAttempt: 'WebhookAttempt',
  Enhancement: 'EnhancedImage',
  EnhancementParameters: 'EnhancedImageParameters',
  EnhancementStatus: 'EnhancedImageStatus',
  Estimate: 'EnhancementEstimate',
  Preset: 'SavedPreset',
};

/** Names of types in requests; all others are their component with `Input`. */
export const INPUT_NAMES: Readonly<Record<string, string>> = {
  DestinationOrder: 'DestinationInput',
  EnhancementParametersInput: 'EnhancementParametersInput',
  NewBatchItem: 'BatchItemInput',
};

/** Names of fields, by the one in REST. The public service calls a mode `preset`, so a saved preset is `presetName`. */
export const FIELD_NAMES: Readonly<Record<string, string>> = { preset: 'presetName', latencyMs: 'latency' };

/** Types of fields, by component and field. Credits are numbers in REST, and whole ones in the contract. */
export const FIELD_TYPES: Readonly<Record<string, Readonly<Record<string, OutputType>>>> = {
  Credits: { remainingCreditsThisPeriod: 'Int', usedCreditsThisPeriod: 'Int', reservedCreditsThisPeriod: 'Int' },
  Enhancement: {
    ...{ maxCredits: 'Int', creditWait: 'Int', estimatedCredits: 'Int', chargedCredits: 'Int' },
    ...{ reusedFrom: 'ID', basedOn: 'ID' },
  },
  EnhancementProgress: { fraction: 'Float' },
  Estimate: { filesize: 'Decimal' },
  Fidelity: { psnr: 'Float', maxDifference: 'Float' },
  WebhookDelivery: { redeliveryOf: 'ID' },
};
