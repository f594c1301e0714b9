import { and, asc, eq, getTableColumns, isNull, lt, or, sql } from 'drizzle-orm';
import type { Account } from '../../domain/accounts/account.ts';
import { Failure } from '../../domain/failures.ts';
import { MAX_API_KEYS } from '../../domain/accounts/account.ts';
import { apiKeyPrefix, hashApiKey, mintApiKey } from './api-key-format.ts';
import { lockAccount } from '../credits/credit-period.ts';
import type { Database, Orm } from '../database.ts';
import { newId } from '../new-id.ts';
import { onceBuilt } from '../once-built.ts';
import { accounts, apiKeys } from '../schema/accounts.ts';

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  /** The first characters of the key */
  prefix: string;
  createdAt: string;
  /** To the minute */
  lastUsedAt: string | null;
}

/** Longer input is not a key of ours and is not worth hashing. */
const MAX_KEY_LENGTH = 256;
const LAST_USE_EVERY_MS = 60_000;

const { id, accountId, name, prefix, createdAt, lastUsedAt } = apiKeys;
const SHOWN = { id, accountId, name, prefix, createdAt, lastUsedAt };

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** Keys of accounts. Only their hash is kept; a lost key is replaced, never shown again. */
export function createApiKeys({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  const holder = onceBuilt(() =>
    orm
      .select({ id, lastUsedAt, account: getTableColumns(accounts) })
      .from(apiKeys)
      .innerJoin(accounts, eq(accounts.id, accountId))
      .where(eq(apiKeys.hash, sql.placeholder('hash')))
      .prepare('api_key_holder'),
  );
  return {
    /** Whose key this is; undefined when it is nobody's. Notes the use at most once a minute. */
    async authenticate(key: string): Promise<{ account: Account; keyId: string } | undefined> {
      if (key.length > MAX_KEY_LENGTH) return undefined;
      const [found] = await holder().execute({ hash: hashApiKey(key) });
      if (found === undefined) return undefined;
      await noteUse(orm, found, now());
      return { account: found.account, keyId: found.id };
    },

    /**
     * @returns the key itself, which cannot be read again
     * @throws Failure BAD_USER_INPUT when the account has too many
     */
    create(accountId: string, name: string): Promise<{ apiKey: ApiKey; key: string }> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if ((await tx.$count(apiKeys, eq(apiKeys.accountId, accountId))) >= MAX_API_KEYS) {
          throw new Failure('BAD_USER_INPUT', { detail: `An account has at most ${MAX_API_KEYS} API keys.` });
        }
        const key = mintApiKey();
        return { key, apiKey: await insertApiKey(tx, { accountId, name, key, nowMs: now() }) };
      });
    },

    async get(accountId: string, keyId: string): Promise<ApiKey | undefined> {
      const [apiKey] = await orm
        .select(SHOWN)
        .from(apiKeys)
        .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId)));
      return apiKey;
    },

    /** Oldest first. */
    list(accountId: string): Promise<ApiKey[]> {
      return orm
        .select(SHOWN)
        .from(apiKeys)
        .where(eq(apiKeys.accountId, accountId))
        .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
    },

    /** @returns whether there was one by that id in that account */
    async remove(accountId: string, keyId: string): Promise<boolean> {
      const removed = await orm
        .delete(apiKeys)
        .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId)))
        .returning({ id: apiKeys.id });
      return removed.length > 0;
    },
  };
}

export async function insertApiKey(
  orm: Orm,
  { accountId, name, key, nowMs }: { accountId: string; name: string; key: string; nowMs: number },
): Promise<ApiKey> {
  const apiKey: ApiKey = {
    id: newId('key', nowMs),
    accountId,
    name,
    prefix: apiKeyPrefix(key),
    createdAt: new Date(nowMs).toISOString(),
    lastUsedAt: null,
  };
  await orm.insert(apiKeys).values({ ...apiKey, hash: hashApiKey(key) });
  return apiKey;
}

/** Notes the use of a key, at most once a minute. */
export async function noteUse(
  orm: Orm,
  { id, lastUsedAt }: Pick<ApiKey, 'id' | 'lastUsedAt'>,
  nowMs: number,
): Promise<void> {
  const due = new Date(nowMs - LAST_USE_EVERY_MS).toISOString();
  if (lastUsedAt !== null && lastUsedAt > due) return;
  await orm
    .update(apiKeys)
    .set({ lastUsedAt: new Date(nowMs).toISOString() })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, due))));
}
