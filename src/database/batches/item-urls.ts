import { createHash } from 'node:crypto';
import { and, eq, isNotNull, notLike } from 'drizzle-orm';
import type { NewBatchItem } from '../../domain/batch/batch.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { batchItems } from '../schema/batches.ts';

type Row = typeof batchItems.$inferSelect;
type ItemRow = Pick<Row, 'batchId' | 'position'>;

const secretAad = ({ batchId, position }: ItemRow): string => `batch_items/${batchId}/${position}/url_secret`;

/** The start of a query or a fragment. */
const SECRET_PART = /[?#]/;

/** Rows that one step of `resealItemUrls` changes. */
const CHUNK = 500;

/**
 * The columns of an item. The query of a URL may contain a signature, so a URL with a query is stored encrypted. A key that is
 * the URL by default has a hash in place of the query.
 */
export function toStoredItem<Item extends NewBatchItem>(
  vault: Vault,
  item: Item,
  row: ItemRow,
): Item & Pick<Row, 'urlSecret'> {
  const { url } = item;
  const shown = url === null ? null : withoutSecrets(url);
  if (url === null || shown === url) return { ...item, urlSecret: null };
  const key = itemKey(item);
  return { ...item, key, url: shown, urlSecret: vault.seal(url, secretAad(row)) };
}

/** The key of an item, from which nobody can read the query of its URL. */
export function itemKey({ key, url }: Pick<NewBatchItem, 'key' | 'url'>): string {
  if (url === null || key !== url) return key;
  const shown = withoutSecrets(url);
  return shown === url ? key : `${shown}#${createHash('sha256').update(url).digest('hex').slice(0, 16)}`;
}

/** The complete URL of an item. @throws what `Vault.open` throws */
export function fullUrl(vault: Vault, { url, urlSecret, ...row }: ItemRow & Pick<Row, 'url' | 'urlSecret'>) {
  return urlSecret === null ? url : vault.open(urlSecret, secretAad(row));
}

function withoutSecrets(url: string): string {
  if (!SECRET_PART.test(url)) return url;
  const shown = new URL(url);
  Object.assign(shown, { search: '', hash: '' });
  return shown.href;
}

/** Encrypts URLs of a previous key again, with the current one. */
export async function resealItemUrls({ orm }: Pick<Database, 'orm'>, vault: Vault): Promise<void> {
  const isOfPreviousKey = and(isNotNull(batchItems.urlSecret), notLike(batchItems.urlSecret, `${vault.prefix}%`));
  for (;;) {
    const rows = await orm.select().from(batchItems).where(isOfPreviousKey).limit(CHUNK);
    for (const row of rows) {
      const urlSecret = vault.seal(vault.open(row.urlSecret!, secretAad(row)), secretAad(row));
      await orm
        .update(batchItems)
        .set({ urlSecret })
        .where(
          and(
            eq(batchItems.batchId, row.batchId),
            eq(batchItems.position, row.position),
            eq(batchItems.urlSecret, row.urlSecret!),
          ),
        );
    }
    if (rows.length < CHUNK) return;
  }
}
