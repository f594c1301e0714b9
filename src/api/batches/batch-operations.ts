import { z } from 'zod';
import type { CountedBatch } from '@burnish/contract';
import { mapPage, rowsToAskFor, seqCursor, toPage } from '../../database/page.ts';
import { requireRecord } from '../commands/checks.ts';
import type { IdempotencyKey } from '../commands/command-types.ts';
import { accepted, ok, page, sentByHandler, type Located } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { pageQuery, pageRequest, withoutUndefined } from '../schemas/paging.ts';
import {
  type BatchRepresentation,
  addedItemsSchema,
  batchItemSchema,
  batchPrefixSchema,
  batchSchema,
  createBatchBody,
  listItemsQuery,
  MAX_ITEMS_TEXT,
  newBatchItemSchema,
  representBatch,
  representBatchItem,
  resumeBatchBody,
} from './batch-schemas.ts';
import { MANIFEST_FORMATS, sendManifest } from './manifest.ts';
import { NDJSON, readItems } from './read-items.ts';
import { retryBatchBody } from './retry-schema.ts';
import type { BatchNeeds } from './batch-commands.ts';

const tag = 'Batches';
const parameters = idPath('bat');

const located = (batch: CountedBatch): Located<BatchRepresentation> => ({
  location: `/v1/batches/${batch.id}`,
  body: representBatch(batch),
});

const COMMANDS = [
  {
    name: 'closeBatch',
    verb: 'close',
    summary: 'Close a batch',
    description: 'The batch accepts no further items. Its samples start, and it ends with its last item.',
  },
  {
    name: 'approveBatch',
    verb: 'approve',
    summary: 'Approve a batch after its samples',
    description: 'Only a batch that is APPROVAL_NEEDED can be approved.',
  },
  {
    name: 'pauseBatch',
    verb: 'pause',
    summary: 'Pause a batch',
    description: 'No further items start. Running items end.',
  },
  {
    name: 'cancelBatch',
    verb: 'cancel',
    summary: 'Cancel a batch',
    description:
      'Items that have not ended are cancelled at no charge. Finished items keep their results. A batch that has ended answers CONFLICT.',
  },
] as const;

/** `/v1/batches`: many files with the same enhancement, under one approval. */
export const batchOperations = [
  operation({
    operationId: 'createBatch',
    graphql: { field: 'createBatch', input: true },
    scope: 'uploads',
    method: 'post',
    path: '/v1/batches',
    tag,
    summary: 'Create a batch',
    description: `A batch applies the same enhancement to up to ${MAX_ITEMS_TEXT} files, with the priority BATCH. Add items, and close it. Its samples run first; then it waits for one approval.`,
    body: createBatchBody,
    example: { enhancements: [{ upscalingFactor: 'X2' }], maxCredits: 5000 },
    answer: accepted('The batch exists and accepts items.', batchSchema),
    failures: ['RATE_LIMITED', 'TARGET_RESOLUTION_EXCEEDS_PLAN'],
    handle: async ({ caller, body, idempotencyKey }, { commands }: BatchNeeds) =>
      located(await commands.createBatch(caller, body, idempotencyKey)),
  }),

  operation({
    operationId: 'listBatches',
    graphql: { field: 'batches' },
    scope: 'read',
    method: 'get',
    path: '/v1/batches',
    tag,
    summary: 'List batches, newest first',
    description: 'Each batch has the numbers of its items by state.',
    query: pageQuery,
    answer: page(batchSchema),
    handle: async ({ caller, query }, { batches }: BatchNeeds) =>
      mapPage(await batches.list(caller.account.id, pageRequest(query)), representBatch),
  }),

  operation({
    operationId: 'getBatch',
    graphql: { field: 'batch' },
    scope: 'read',
    method: 'get',
    path: '/v1/batches/{id}',
    tag,
    summary: 'Read a batch',
    description: 'The record counts its items by state.',
    parameters,
    answer: ok('The batch in its current state.', batchSchema),
    failures: ['NOT_FOUND'],
    handle: async ({ caller, parameters: { id } }, { batches }: BatchNeeds) =>
      representBatch(requireRecord(await batches.get(caller.account.id, id))),
  }),

  operation({
    operationId: 'addBatchItems',
    scope: 'uploads',
    method: 'post',
    path: '/v1/batches/{id}/items',
    tag,
    summary: 'Add items to a batch',
    description: `The body is NDJSON: one JSON object a line, with \`url\`, \`uploadId\`, or \`bucket\` and \`key\`, and optionally \`key\` and \`reference\`. A batch has up to ${MAX_ITEMS_TEXT} items. Lines with a known key change nothing, so the same body may be sent again. An invalid line is refused by its number; lines before it may be added already.`,
    parameters,
    requestBody: {
      required: true,
      content: {
        [NDJSON]: {
          schema: newBatchItemSchema,
          example: { url: 'https://example.com/photo.jpg', reference: 'order-4711' },
        },
      },
    },
    answer: ok('Every line is an item of the batch.', addedItemsSchema),
    failures: ['NOT_FOUND', 'CONFLICT', 'URL_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE'],
    async handle({ caller, parameters: { id }, req, idempotencyKey }, { commands, batches }: BatchNeeds) {
      requireRecord(await batches.get(caller.account.id, id));
      let group = 0;
      // The space keeps the key of a group distinct from every key that a caller can send.
      const groupKey = (): IdempotencyKey => (idempotencyKey === null ? null : `${idempotencyKey} ${(group += 1)}`);
      const added = await readItems(req, (items) => commands.addBatchItems(caller, id, items, groupKey()));
      return await commands.announceBatchItems(caller, id, added);
    },
  }),

  operation({
    operationId: 'addBatchPrefix',
    graphql: { field: 'addBatchPrefix', input: true },
    scope: 'uploads',
    method: 'post',
    path: '/v1/batches/{id}/prefix',
    tag,
    summary: 'Add files of a bucket to a batch',
    description:
      'Each object of a registered bucket whose key starts with `prefix` becomes an item with the key `bucket/key`. Empty objects and keys that end with a slash are left out. A repetition adds only missing files. A closed batch answers CONFLICT. After an error, earlier files may be added already.',
    parameters,
    body: batchPrefixSchema,
    example: { bucket: 'photos', prefix: 'in/' },
    answer: ok('Every file with the prefix is an item of the batch.', addedItemsSchema),
    failures: ['NOT_FOUND', 'CONFLICT', 'BUCKET_REFUSED'],
    async handle({ caller, parameters: { id }, body, idempotencyKey }, { commands }: BatchNeeds) {
      const added = await commands.addBatchPrefix(caller, id, body, idempotencyKey);
      return await commands.announceBatchItems(caller, id, added);
    },
  }),

  operation({
    operationId: 'listBatchItems',
    scope: 'read',
    method: 'get',
    path: '/v1/batches/{id}/items',
    tag,
    summary: 'List the items of a batch',
    description: 'Items stand in the order of the requests, each with its result, price or error code.',
    parameters,
    query: listItemsQuery,
    answer: page(batchItemSchema),
    failures: ['NOT_FOUND'],
    async handle(
      { caller, parameters: { id }, query: { state, ...query } },
      { batches, batchItems, urls }: BatchNeeds,
    ) {
      const batch = requireRecord(await batches.get(caller.account.id, id));
      const request = pageRequest(query);
      const limit = rowsToAskFor(request);
      const [after] = seqCursor.decode(request.after) ?? [];
      const rows = await batchItems.list(batch.id, withoutUndefined({ limit, after, state }));
      const found = toPage(rows, request, ({ item }) => seqCursor.encode([item.position]));
      return mapPage(found, (row) => representBatchItem(row, urls));
    },
  }),

  ...COMMANDS.map(({ name, verb, summary, description }) =>
    operation({
      operationId: name,
      graphql: { field: name },
      scope: 'uploads',
      method: 'post',
      path: `/v1/batches/{id}/${verb}`,
      tag,
      summary,
      description,
      parameters,
      answer: accepted('The batch after the command.', batchSchema),
      failures: ['NOT_FOUND', 'CONFLICT'],
      handle: async ({ caller, parameters: { id }, idempotencyKey }, { commands }: BatchNeeds) =>
        located(await commands[name](caller, id, idempotencyKey)),
    }),
  ),

  operation({
    operationId: 'resumeBatch',
    graphql: { field: 'resumeBatch' },
    scope: 'uploads',
    method: 'post',
    path: '/v1/batches/{id}/resume',
    tag,
    summary: 'Resume a paused batch',
    description:
      'A batch that has used its budget needs a higher `maxCredits`. A state without a pause answers CONFLICT.',
    parameters,
    body: resumeBatchBody,
    answer: accepted('The batch after the command.', batchSchema),
    failures: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, parameters: { id }, body, idempotencyKey }, { commands }: BatchNeeds) =>
      located(await commands.resumeBatch(caller, id, body?.maxCredits, idempotencyKey)),
  }),

  operation({
    operationId: 'retryBatch',
    graphql: { field: 'retryBatch' },
    scope: 'uploads',
    method: 'post',
    path: '/v1/batches/{id}/retry',
    tag,
    summary: 'Retry failed items of a batch',
    description:
      'All failed items run again, or those with the given `keys`; a finished batch continues. Files from an address are downloaded again.',
    parameters,
    body: retryBatchBody,
    answer: accepted('The batch after the command.', batchSchema),
    failures: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, parameters: { id }, body, idempotencyKey }, { commands }: BatchNeeds) =>
      located(await commands.retryBatch(caller, id, body?.keys, idempotencyKey)),
  }),

  operation({
    operationId: 'getBatchManifest',
    scope: 'read',
    method: 'get',
    path: '/v1/batches/{id}/manifest',
    tag,
    summary: 'Stream the manifest of a batch',
    description:
      'The manifest lists each input exactly once, in the order of the requests, with its result, price or error code.',
    parameters,
    query: z.strictObject({
      format: z.enum(['ndjson', 'csv']).optional().meta({ description: 'Format of the manifest. Default `ndjson`.' }),
      samples: z
        .enum(['true', 'false'])
        .optional()
        .meta({ description: '`true` lists the samples only. Default `false`.' }),
    }),
    answer: sentByHandler({
      '200': {
        description: 'The manifest.',
        content: {
          [MANIFEST_FORMATS.ndjson]: { schema: batchItemSchema },
          'text/csv': { schema: { type: 'string' } },
        },
      },
    }),
    failures: ['NOT_FOUND'],
    async handle({ caller, parameters: { id }, query: { format = 'ndjson', samples }, res }, deps: BatchNeeds) {
      requireRecord(await deps.batches.get(caller.account.id, id));
      await sendManifest(res, deps, id, { format, onlySamples: samples === 'true' });
    },
  }),
];
