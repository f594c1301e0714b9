import { z } from 'zod';
import { enhancementList } from '@burnish/contract/schemas';
import { mapPage } from '../../database/page.ts';
import { requireRecord } from '../commands/checks.ts';
import { batchDestinationSchema } from '../enhancements/destination-schemas.ts';
import { builder } from '../graphql/builder.ts';
import { connectionType, pageArgs, pageRequest } from '../graphql/connection.ts';
import { restText } from '../graphql/described-schema.ts';
import { enumType } from '../graphql/enums.ts';
import { inputTypeOf, typeOf } from '../graphql/derived-type.ts';
import { inputFields, restInput } from '../graphql/rest-inputs.ts';
import { parameterFields, parameterInputFields } from '../enhancements/enhancement-parameters-graphql.ts';
import { restType } from '../graphql/rest-types.ts';
import { mutation, query } from '../graphql/root-fields.ts';
import {
  type BatchItemRepresentation,
  type BatchRepresentation,
  addedItemsSchema,
  batchCountsSchema,
  batchEnhancementSchema,
  batchItemSchema,
  batchItemState,
  batchPauseReason,
  batchPredictionSchema,
  batchPrefixSchema,
  batchSchema,
  batchStatus,
  createBatchBody,
  newBatchItemSchema,
  representBatch,
  representBatchItem,
  resumeBatchBody,
} from './batch-schemas.ts';
import type { BatchNeeds } from './batch-commands.ts';

enumType('BatchStatus', batchStatus);
enumType('BatchPauseReason', batchPauseReason);
enumType('BatchItemState', batchItemState);
restType('BatchCounts', batchCountsSchema);
restType('BatchPrediction', batchPredictionSchema);
const BatchDestination = restType('BatchDestination', batchDestinationSchema);

const BatchEnhancement = builder.objectRef<BatchRepresentation['enhancements'][number]>('BatchEnhancement').implement({
  restSchema: batchEnhancementSchema,
  fields: (t) => ({
    ...parameterFields(t),
    presetName: t.exposeString('preset', {
      nullable: true,
      description: restText(batchEnhancementSchema.shape.preset),
    }),
    destination: t.expose('destination', { type: BatchDestination, nullable: true }),
  }),
});
typeOf(batchEnhancementSchema, BatchEnhancement);

const Batch = restType('Batch', batchSchema);
const BatchConnection = connectionType('Batch', Batch);
const BatchItem = restType('BatchItem', batchItemSchema);
const AddBatchItemsPayload = restType('AddBatchItemsPayload', addedItemsSchema.meta({ description: 'Added items.' }));

const BatchManifestPage = builder
  .objectRef<{ items: BatchItemRepresentation[]; next: number | null }>('BatchManifestPage')
  .implement({
    description: 'A part of a manifest, in the order of the requests.',
    fields: (t) => ({
      items: t.expose('items', { type: [BatchItem], description: 'The items.' }),
      next: t.exposeInt('next', { nullable: true, description: '`from` of the next part; null in the last one.' }),
    }),
  });

const { element } = createBatchBody.shape.enhancements;
/** The enhancement of REST, with GraphQL's name of a saved preset. */
const batchEnhancementInput = z.preprocess((given) => {
  const { presetName, ...others } = given as { presetName?: string };
  return { ...others, ...(presetName !== undefined && { preset: presetName }) };
}, element);
const { enhancements, ...others } = createBatchBody.shape;
const createBatchInput = z
  .strictObject({
    enhancements: enhancementList(batchEnhancementInput, { max: 1 }).meta({ description: restText(enhancements) }),
    ...others,
  })
  .meta({ description: 'A batch.' });

restInput('BatchDestinationInput', batchDestinationSchema);
const { preset, destination } = batchEnhancementSchema.shape;
inputTypeOf(
  batchEnhancementInput,
  builder.inputType('BatchEnhancementInput', {
    restSchema: batchEnhancementSchema,
    fields: (t) => ({
      ...parameterInputFields(t),
      presetName: t.string({ description: restText(preset) }),
      ...inputFields((options) => t.field(options), z.object({ destination })),
    }),
  }),
);
restInput('BatchItemInput', newBatchItemSchema);
restInput('BatchPrefixInput', batchPrefixSchema);
restInput('CreateBatchInput', createBatchInput);

/** Items of one mutation, and of one part of a manifest. */
const MAX_ITEMS = 500;

query('batch', {
  scope: 'read',
  type: Batch,
  nullable: true,
  description: 'Reads a batch with the numbers of its items. Errors: NOT_FOUND.',
  ids: { id: 'bat' },
  handle: async ({ caller, args: { id } }, { batches }: BatchNeeds) =>
    representBatch(requireRecord(await batches.get(caller.account.id, id))),
});

query('batches', {
  scope: 'read',
  type: BatchConnection,
  description: 'Lists the batches of the account, newest first. Errors: BAD_USER_INPUT.',
  args: z.object(pageArgs),
  handle: async ({ caller, args }, { batches }: BatchNeeds) =>
    mapPage(await batches.list(caller.account.id, pageRequest(args)), representBatch),
});

query('batchManifest', {
  scope: 'read',
  type: BatchManifestPage,
  nullable: true,
  description: `Reads up to ${MAX_ITEMS} items of a batch, each with its result, price or error code. Errors: NOT_FOUND.`,
  ids: { id: 'bat' },
  args: z.object({ from: z.int().default(0).meta({ description: 'Number of items to skip.' }) }),
  async handle({ caller, args: { id, from } }, { batches, batchItems, urls }: BatchNeeds) {
    const batch = requireRecord(await batches.get(caller.account.id, id));
    const start = Math.max(0, from);
    const rows = await batchItems.list(batch.id, start - 1, MAX_ITEMS);
    const items = rows.map((row) => representBatchItem(row, urls));
    return { items, next: rows.length < MAX_ITEMS ? null : start + rows.length };
  },
});

mutation('createBatch', {
  scope: 'uploads',
  type: Batch,
  description:
    'Creates a batch: the same enhancement for many files, under one approval. Add items, and close it. Errors: BAD_USER_INPUT, RATE_LIMITED, TARGET_RESOLUTION_EXCEEDS_PLAN.',
  args: z.object({ input: createBatchInput.meta({ description: 'The batch.' }) }),
  handle: async ({ caller, args, idempotencyKey }, { commands }: BatchNeeds) =>
    representBatch(await commands.createBatch(caller, args.input, idempotencyKey)),
});

mutation('addBatchItems', {
  scope: 'uploads',
  type: AddBatchItemsPayload,
  description: `Adds up to ${MAX_ITEMS} items to a batch. Items with a known key change nothing. The REST interface accepts more at once. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT after its close, URL_NOT_ALLOWED.`,
  ids: { id: 'bat' },
  args: z.object({ items: z.array(newBatchItemSchema).max(MAX_ITEMS).meta({ description: 'The items.' }) }),
  async handle({ caller, args: { id, items }, idempotencyKey }, { commands }: BatchNeeds) {
    const added = await commands.addBatchItems(caller, id, items, idempotencyKey);
    return await commands.announceBatchItems(caller, id, added);
  },
});

mutation('addBatchPrefix', {
  scope: 'uploads',
  type: AddBatchItemsPayload,
  description:
    'Adds the files of a registered bucket whose keys start with a prefix. A repetition adds only missing files. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT after its close, BUCKET_REFUSED, UNAVAILABLE.',
  ids: { id: 'bat' },
  args: z.object({ input: batchPrefixSchema.meta({ description: 'Bucket and prefix.' }) }),
  async handle({ caller, args: { id, input }, idempotencyKey }, { commands }: BatchNeeds) {
    const added = await commands.addBatchPrefix(caller, id, input, idempotencyKey);
    return await commands.announceBatchItems(caller, id, added);
  },
});

mutation('resumeBatch', {
  scope: 'uploads',
  type: Batch,
  description:
    'Resumes a paused batch. A batch that has used its budget needs a higher `maxCredits`. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT in a state without a pause.',
  ids: { id: 'bat' },
  args: resumeBatchBody.unwrap(),
  handle: async ({ caller, args: { id, maxCredits }, idempotencyKey }, { commands }: BatchNeeds) =>
    representBatch(await commands.resumeBatch(caller, id, maxCredits, idempotencyKey)),
});

const COMMANDS = {
  closeBatch: 'Closes a batch, which then accepts no items. Its samples start. Errors: NOT_FOUND, CONFLICT.',
  approveBatch: 'Approves a batch that is APPROVAL_NEEDED. Errors: NOT_FOUND, CONFLICT in any other state.',
  pauseBatch: 'Pauses a batch. Running items end. Errors: NOT_FOUND, CONFLICT.',
  cancelBatch: 'Cancels the items of a batch that have not ended. Errors: NOT_FOUND, CONFLICT after its end.',
  retryBatch: 'Tries the failed items of a batch again, also after its end. Errors: NOT_FOUND, CONFLICT.',
} as const;

for (const [name, description] of Object.entries(COMMANDS) as [keyof typeof COMMANDS, string][]) {
  mutation(name, {
    scope: 'uploads',
    type: Batch,
    description,
    ids: { id: 'bat' },
    handle: async ({ caller, args: { id }, idempotencyKey }, { commands }: BatchNeeds) =>
      representBatch(await commands[name](caller, id, idempotencyKey)),
  });
}
