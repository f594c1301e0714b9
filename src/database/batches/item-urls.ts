import { createHash } from 'node:crypto';
import { and, eq, inArray, isNotNull, isNull, notLike, or, sql } from 'drizzle-orm';
import type { NewBatchItem } from '../../domain/batch/batch.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { batchItems } from '../schema/batches.ts';

type Row = typeof batchItems.$inferSelect;
type ItemRow = Pick<Row, 'batchId' | 'position'>;

const secretAad = ({ batchId, position }: ItemRow): string => `batch_items/${batchId}/${position}/url_secret`;

/** The start of a query or a fragment, for JavaScript and for PostgreSQL. */
const SECRET_PART = '[?#]';

/** Rows that one step of `sealItemUrls` changes. */
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
  if (!new RegExp(SECRET_PART).test(url)) return url;
  const shown = new URL(url);
  Object.assign(shown, { search: '', hash: '' });
  return shown.href;
}

/**
 * Encrypts plain URLs of ended items, and re-encrypts those of an older key with the current one. An item that has not
 * ended may belong to a worker of an earlier version, which knows plain URLs only.
 */
export async function sealItemUrls({ orm }: Pick<Database, 'orm'>, vault: Vault): Promise<void> {
  const isPlain = and(
    isNull(batchItems.urlSecret),
    inArray(batchItems.state, ['FINISHED', 'FAILED', 'CANCELLED']),
    sql`${batchItems.url} ~ ${SECRET_PART}`,
  );
  const isOfOlderKey = and(isNotNull(batchItems.urlSecret), notLike(batchItems.urlSecret, `${vault.prefix}%`));
  for (;;) {
    const rows = await orm.select().from(batchItems).where(or(isPlain, isOfOlderKey)).limit(CHUNK);
    for (const row of rows) {
      const full = fullUrl(vault, row);
      const { key, url, urlSecret } = toStoredItem(vault, { ...row, url: full }, row);
      // The caller may have chosen the same key for another item.
      const free = sql`case when exists (select 1 from ${batchItems} other where other.batch_id = ${row.batchId}
        and other.key = ${key}) then ${batchItems.key} else ${key} end`;
      const unchanged = row.urlSecret === null ? isNull(batchItems.urlSecret) : eq(batchItems.urlSecret, row.urlSecret);
      await orm
        .update(batchItems)
        .set({ key: free, url, urlSecret })
        .where(and(eq(batchItems.batchId, row.batchId), eq(batchItems.position, row.position), unchanged));
    }
    if (rows.length < CHUNK) return;
  }
}
