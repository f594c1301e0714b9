import { z } from 'zod';
import { requireRecord } from '../commands/checks.ts';
import { parameterFields } from '../enhancements/enhancement-parameters-graphql.ts';
import { recordType, restType } from '../graphql/rest-types.ts';
import { type SchemaPart, mutation, query } from '../graphql/root-fields.ts';
import { idPath } from '../rest/operation.ts';
import {
  addedItemsSchema,
  batchEnhancementSchema,
  batchItemSchema,
  newBatchItemSchema,
  representBatchItem,
} from './batch-schemas.ts';
import type { BatchNeeds } from './batch-commands.ts';

restType(batchEnhancementSchema, parameterFields);

const manifestPage = z
  .object({
    items: z.array(batchItemSchema).meta({ description: 'The items.' }),
    next: z.int().nullable().meta({ description: '`from` of the next part; null in the last one.' }),
  })
  .meta({ id: 'BatchManifestPage', description: 'A part of a manifest, in the order of the requests.' });

/** Items of one mutation, and of one part of a manifest. */
const MAX_ITEMS = 500;

/** REST streams the items of a batch in both directions. */
export const batchParts: SchemaPart[] = [
  query('batchManifest', {
    scope: 'read',
    type: recordType(manifestPage),
    nullable: true,
    description: `Reads up to ${MAX_ITEMS} items of a batch, each with its result, price or error code. Errors: NOT_FOUND.`,
    ids: idPath('bat'),
    args: z.object({ from: z.int().default(0).meta({ description: 'Number of items to skip.' }) }),
    async handle({ caller, args: { id, from } }, { batches, batchItems, urls }: BatchNeeds) {
      const batch = requireRecord(await batches.get(caller.account.id, id));
      const start = Math.max(0, from);
      const rows = await batchItems.list(batch.id, { after: start - 1, limit: MAX_ITEMS });
      const items = rows.map((row) => representBatchItem(row, urls));
      return { items, next: rows.length < MAX_ITEMS ? null : start + rows.length };
    },
  }),

  mutation('addBatchItems', {
    scope: 'uploads',
    type: recordType(addedItemsSchema),
    description: `Adds up to ${MAX_ITEMS} items to a batch. Items with a known key change nothing. The REST interface accepts more at once. Errors: NOT_FOUND, BAD_USER_INPUT, CONFLICT after its close, URL_NOT_ALLOWED.`,
    ids: idPath('bat'),
    args: z.object({ items: z.array(newBatchItemSchema).max(MAX_ITEMS).meta({ description: 'The items.' }) }),
    async handle({ caller, args: { id, items }, idempotencyKey }, { commands }: BatchNeeds) {
      const added = await commands.addBatchItems(caller, id, items, idempotencyKey);
      return await commands.announceBatchItems(caller, id, added);
    },
  }),
];
