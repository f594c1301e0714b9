import { and, asc, eq, gt } from 'drizzle-orm';
import type { BatchItem, BatchItemState, RecordedEnhancement } from '@burnish/contract';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Orm } from '../database.ts';
import { batchItems } from '../schema/batches.ts';
import { enhancements } from '../schema/enhancements.ts';
import { SHOWN_ENHANCEMENT } from '../uploads/enhancements.ts';
import { shownItem } from './item-urls.ts';

/** Which items are read. */
export interface ItemRange {
  /** Items after this position; absent: from the first one */
  after?: number;
  limit: number;
  /** Items of the others that are left out at the start */
  skip?: number;
  /** Only samples */
  samples?: boolean;
  state?: BatchItemState;
}

export interface ListedItem {
  item: BatchItem;
  enhancement: RecordedEnhancement | null;
}

/** Items in their order, with their enhancements. */
export async function listItems(
  orm: Orm,
  vault: Vault,
  batchId: string,
  { after = -1, limit, skip = 0, samples, state }: ItemRange,
): Promise<ListedItem[]> {
  const rows = await orm
    .select({ item: batchItems, enhancement: SHOWN_ENHANCEMENT })
    .from(batchItems)
    .leftJoin(enhancements, eq(enhancements.id, batchItems.enhancementId))
    .where(
      and(
        eq(batchItems.batchId, batchId),
        gt(batchItems.position, after),
        samples ? eq(batchItems.sample, true) : undefined,
        state === undefined ? undefined : eq(batchItems.state, state),
      ),
    )
    .orderBy(asc(batchItems.position))
    .offset(skip)
    .limit(limit);
  return rows.map(({ item, enhancement }) => ({ item: shownItem(vault, item), enhancement }));
}
