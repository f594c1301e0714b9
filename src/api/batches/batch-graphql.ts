import { z } from 'zod';
import { Failure } from '../../domain/failures.ts';
import type { AddedBatchItems, BatchItemRepresentation } from './batch-schemas.ts';
import { requireRecord } from '../commands/checks.ts';
import { batchDestinationSchema } from '../enhancements/destination-schemas.ts';
import { EnhancementParametersInput } from '../enhancements/enhancement-parameters-graphql.ts';
import { builder } from '../graphql/builder.ts';
import { connectionType, pageArgs, pageRequest } from '../graphql/connection.ts';
import { restText } from '../graphql/described-schema.ts';
import { enumType } from '../graphql/enums.ts';
import { knownId, parseInput, withInput, withoutNulls } from '../graphql/input.ts';
import { restType } from '../graphql/rest-types.ts';
import {
  addedItemsSchema,
  batchCountsSchema,
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
  resumeBatchInput,
} from './batch-schemas.ts';

enumType('BatchStatus', batchStatus);
enumType('BatchPauseReason', batchPauseReason);
enumType('BatchItemState', batchItemState);
restType('BatchCounts', batchCountsSchema);
restType('BatchPrediction', batchPredictionSchema);
restType('BatchDestination', batchDestinationSchema);

const BatchDestinationInput = builder.inputType('BatchDestinationInput', {
  restSchema: batchDestinationSchema,
  fields: (t) => ({ bucket: t.string({ required: true }), key: t.string({ required: true }) }),
});

const Batch = restType('Batch', batchSchema, (t) => ({
  preset: undefined,
  presetName: t.exposeString('preset', { nullable: true, description: restText(batchSchema.shape.preset) }),
}));

const BatchConnection = connectionType('Batch', Batch);

const BatchItem = restType('BatchItem', batchItemSchema);

const BatchManifestPage = builder
  .objectRef<{ items: BatchItemRepresentation[]; next: number | null }>('BatchManifestPage')
  .implement({
    description: 'A part of a manifest, in the order of the requests.',
    fields: (t) => ({
      items: t.expose('items', { type: [BatchItem], description: 'The items.' }),
      next: t.exposeInt('next', { nullable: true, description: '`from` of the next part; null in the last one.' }),
    }),
  });

const AddBatchItemsPayload = builder.objectRef<AddedBatchItems>('AddBatchItemsPayload').implement({
  description: 'Added items.',
  restSchema: addedItemsSchema,
  fields: (t) => ({
    added: t.exposeInt('added'),
    repeated: t.exposeInt('repeated'),
  }),
});

const BatchItemInput = builder.inputType('BatchItemInput', {
  description: 'One input of a batch.',
  restSchema: newBatchItemSchema.in,
  fields: (t) => ({ url: t.string(), uploadId: t.id(), bucket: t.string(), key: t.string(), reference: t.string() }),
});

const BatchPrefixInput = builder.inputType('BatchPrefixInput', {
  restSchema: batchPrefixSchema,
  fields: (t) => ({ bucket: t.string({ required: true }), prefix: t.string() }),
});

const CreateBatchInput = builder.inputType('CreateBatchInput', {
  description: 'A batch.',
  restSchema: createBatchBody,
  fields: (t) => ({
    parameters: t.field({ type: EnhancementParametersInput }),
    presetName: t.string({ description: restText(createBatchBody.shape.preset) }),
    destination: t.field({ type: BatchDestinationInput }),
    maxCredits: t.int(),
    samples: t.int(),
    reference: t.string(),
  }),
});

const idArg = { required: true, description: restText(batchSchema.shape.id) } as const;
/** Items of one mutation, and of one part of a manifest. */
const MAX_ITEMS = 500;

builder.queryFields((t) => ({
  batch: t.field({
    scope: 'read',
    type: Batch,
    nullable: true,
    description: 'Reads a batch with the numbers of its items. Errors: NOT_FOUND.',
    args: { id: t.arg.id(idArg) },
    resolve: async (_root, { id }, { deps, caller }) =>
      representBatch(requireRecord(await deps.batches.get(caller.account.id, knownId('bat', id)))),
  }),
  batches: t.field({
    scope: 'read',
    type: BatchConnection,
    description: 'Lists the batches of the account, newest first. Errors: BAD_USER_INPUT.',
    args: pageArgs,
    resolve: async (_root, page, { deps, caller }) => {
      const { items, nextCursor } = await deps.batches.list(caller.account.id, pageRequest(page));
      return { items: items.map(representBatch), nextCursor };
    },
  }),
  batchManifest: t.field({
    scope: 'read',
    type: BatchManifestPage,
    nullable: true,
    description: `Reads up to ${MAX_ITEMS} items of a batch, each with its result, price or error code. Errors: NOT_FOUND.`,
    args: {
      id: t.arg.id(idArg),
      from: t.arg.int({ defaultValue: 0, description: 'Number of items to skip.' }),
    },
    resolve: async (_root, { id, from }, { deps, caller }) => {
      const batch = requireRecord(await deps.batches.get(caller.account.id, knownId('bat', id)));
      const start = Math.max(0, from ?? 0);
      const rows = await deps.batchItems.list(batch.id, start - 1, MAX_ITEMS);
      const items = rows.map((row) => representBatchItem(row, deps.addresses));
      return { items, next: rows.length < MAX_ITEMS ? null : start + rows.length };
    },
  }),
}));

builder.mutationFields((t) => ({
  createBatch: t.field({
    scope: 'uploads',
    type: Batch,
    nullable: true,
    description:
      'Creates a batch: the same parameters for many files, under one approval. Add items, and close it. Errors: BAD_USER_INPUT, RATE_LIMITED, TARGET_RESOLUTION_EXCEEDS_PLAN.',
    args: { input: t.arg({ type: CreateBatchInput, required: true, description: 'The batch.' }) },
    resolve: async (_root, { input: { presetName: preset, ...input } }, { deps, caller, keyFor }, info) => {
      const order = parseInput(createBatchBody, { ...input, preset });
      return representBatch(await deps.commands.createBatch(caller, order, await keyFor(info)));
    },
  }),
  addBatchItems: t.field({
    scope: 'uploads',
    type: AddBatchItemsPayload,
    nullable: true,
    description: `Adds up to ${MAX_ITEMS} items to a batch. Items with a known key change nothing. The REST interface accepts more at once. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT after its close, URL_NOT_ALLOWED.`,
    args: {
      id: t.arg.id(idArg),
      items: t.arg({ type: [BatchItemInput], required: true, description: 'The items.' }),
    },
    resolve: async (_root, { id, items }, { deps, caller, keyFor }, info) => {
      const batchId = knownId('bat', id);
      if (items.length > MAX_ITEMS) {
        const detail = `Expected at most ${MAX_ITEMS} items but received ${items.length}.`;
        throw new Failure('BAD_USER_INPUT', { field: 'items', detail });
      }
      const parsed = z.object({ items: z.array(newBatchItemSchema) }).parse(withoutNulls({ items }));
      const added = await deps.commands.addBatchItems(caller, batchId, parsed.items, await keyFor(info));
      if (added.added > 0) await deps.commands.announceBatchItems(caller, batchId);
      return added;
    },
  }),
  addBatchPrefix: t.field({
    scope: 'uploads',
    type: AddBatchItemsPayload,
    nullable: true,
    description:
      'Adds the files of a registered bucket whose keys start with a prefix. A repetition adds only missing files. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT after its close, BUCKET_REFUSED, UNAVAILABLE.',
    args: {
      id: t.arg.id(idArg),
      input: t.arg({ type: BatchPrefixInput, required: true, description: 'Bucket and prefix.' }),
    },
    resolve: async (_root, { id, input }, { deps, caller, keyFor }, info) => {
      const [batchId, files] = [knownId('bat', id), parseInput(batchPrefixSchema, input)];
      const key = await keyFor(info);
      const added = await withInput(() => deps.commands.addBatchPrefix(caller, batchId, files, key));
      if (added.added > 0) await deps.commands.announceBatchItems(caller, batchId);
      return added;
    },
  }),
  resumeBatch: t.field({
    scope: 'uploads',
    type: Batch,
    nullable: true,
    description:
      'Resumes a paused batch. A batch that has used its budget needs a higher `maxCredits`. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT in a state without a pause.',
    restSchema: resumeBatchInput,
    args: { id: t.arg.id({ required: true }), maxCredits: t.arg.int() },
    resolve: async (_root, args, { deps, caller, keyFor }, info) => {
      const { id, maxCredits } = resumeBatchInput.parse(withoutNulls(args));
      return representBatch(
        await deps.commands.resumeBatch(caller, knownId('bat', id), maxCredits, await keyFor(info)),
      );
    },
  }),
}));

const COMMANDS = {
  closeBatch: 'Closes a batch, which then accepts no items. Its samples start. Errors: NOT_FOUND, CONFLICT.',
  approveBatch: 'Approves a batch that is APPROVAL_NEEDED. Errors: NOT_FOUND, CONFLICT in any other state.',
  pauseBatch: 'Pauses a batch. Running items end. Errors: NOT_FOUND, CONFLICT.',
  cancelBatch: 'Cancels the items of a batch that have not ended. Errors: NOT_FOUND, CONFLICT after its end.',
  retryBatch: 'Tries the failed items of a batch again, also after its end. Errors: NOT_FOUND, CONFLICT.',
} as const;

for (const [name, description] of Object.entries(COMMANDS) as [keyof typeof COMMANDS, string][]) {
  builder.mutationField(name, (t) =>
    t.field({
      scope: 'uploads',
      type: Batch,
      nullable: true,
      description,
      args: { id: t.arg.id(idArg) },
      resolve: async (_root, { id }, { deps, caller, keyFor }, info) =>
        representBatch(await deps.commands[name](caller, knownId('bat', id), await keyFor(info))),
    }),
  );
}
