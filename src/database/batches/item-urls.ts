import { createHash } from 'node:crypto';
import { and, eq, isNotNull, notLike, or, sql } from 'drizzle-orm';
import { toPublicAddress } from '@burnish/contract';
import type { NewBatchItem } from '../../domain/batch/batch-rules.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import type { Database } from '../database.ts';
import { batchItems } from '../schema/batches.ts';

type Row = typeof batchItems.$inferSelect;
type ItemRow = Pick<Row, 'batchId' | 'position'>;
type StoredUrl = ItemRow & Pick<Row, 'key' | 'url' | 'urlSecret'>;

const secretAad = ({ batchId, position }: ItemRow): string => `batch_items/${batchId}/${position}/url_secret`;

/** The start of a query or a fragment. */
const SECRET_PART = /[?#]/;

/** In place of the path of a URL, before its ending. */
const HIDDEN_PATH = '/…';

/** Rows that one step of `resealItemUrls` changes. */
const CHUNK = 500;

/** The columns of an item. Its URL is encrypted; its key too is without it, if it is the URL by default. */
export function toStoredItem<Item extends NewBatchItem>(
  vault: Vault,
  item: Item,
  row: ItemRow,
): Item & Pick<Row, 'urlSecret'> {
  const { url } = item;
  if (url === null) return { ...item, urlSecret: null };
  return { ...item, key: storedKey(item), url: toStoredUrl(url), urlSecret: vault.seal(url, secretAad(row)) };
}

/** The key of an item, from which nobody can read its URL. */
export const storedKey = ({ key, url }: Pick<NewBatchItem, 'key' | 'url'>): string =>
  url === null || key !== url ? key : derivedKey(url);

/** An item with the complete URL. @throws what `Vault.open` throws */
export function withUrl<Item extends StoredUrl>(vault: Vault, item: Item): Item {
  return item.urlSecret === null ? item : { ...item, url: vault.open(item.urlSecret, secretAad(item)) };
}

/** An item as its account sees it: with the URL and the default key, both without the query. */
export function shownItem<Item extends StoredUrl>(vault: Vault, stored: Item): Item {
  const item = withUrl(vault, stored);
  const { url } = item;
  if (url === null) return item;
  const shown = withoutQuery(url);
  const ofUrl = shown === url ? url : `${shown}#${digest(url)}`;
  return { ...item, url: shown, key: item.key === derivedKey(url) ? ofUrl : item.key };
}

/** The keys under which an item can be stored that its account sees under this one. */
export function possibleKeys(shown: string): string[] {
  if (!URL.canParse(shown)) return [shown];
  const [, address, digestOfUrl] = /^(.+)#([0-9a-f]{16})$/.exec(shown) ?? [];
  return [shown, derivedKey(shown), ...(address === undefined ? [] : [`${toStoredUrl(address)}#${digestOfUrl}`])];
}

/** Scheme, host and the ending, which tells the kind of the file. */
function toStoredUrl(url: string): string {
  const ending = /\.[a-z]{3,4}$/i.exec(new URL(url).pathname)?.[0] ?? '';
  return `${toPublicAddress(url)}${HIDDEN_PATH}${ending}`;
}

const derivedKey = (url: string): string => `${toStoredUrl(url)}#${digest(url)}`;

const digest = (url: string): string => createHash('sha256').update(url).digest('hex').slice(0, 16);

function withoutQuery(url: string): string {
  if (!SECRET_PART.test(url)) return url;
  const shown = new URL(url);
  Object.assign(shown, { search: '', hash: '' });
  return shown.href;
}

/** Encrypts URLs of a previous key again, with the current one, and those that 1.0.0-rc.2 stored without encryption. */
export async function resealItemUrls({ orm }: Pick<Database, 'orm'>, vault: Vault): Promise<void> {
  const { key, url, urlSecret, batchId, position } = batchItems;
  const isPlain = sql`(${urlSecret} is null or ${url} not like ${`%${HIDDEN_PATH}%`})`;
  const isDue = and(isNotNull(url), or(isPlain, notLike(urlSecret, `${vault.prefix}%`)));
  for (;;) {
    const rows = await orm.select().from(batchItems).where(isDue).limit(CHUNK);
    for (const row of rows) {
      const { url: complete } = withUrl(vault, row);
      const isDefault = [row.url, `${row.url}#${digest(complete!)}`].includes(row.key);
      const stored = toStoredItem(vault, { ...row, url: complete, key: isDefault ? complete! : row.key }, row);
      await orm
        .update(batchItems)
        .set({ url: stored.url, key: stored.key, urlSecret: stored.urlSecret })
        .where(and(eq(batchId, row.batchId), eq(position, row.position), eq(key, row.key)));
    }
    if (rows.length < CHUNK) return;
  }
}
