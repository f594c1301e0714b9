import { createHash, randomBytes } from 'node:crypto';
import { and, asc, eq, getTableColumns, inArray, isNull, lt, or, sql, type SQL } from 'drizzle-orm';
import {
  type Account,
  type Plan,
  MAX_API_KEYS,
  SCOPES,
  sortedScopes,
  type KeyPowers,
  Failure,
  newId,
} from '@burnish/contract';
import { lockAccount } from '../credits/credit-movements.ts';
import type { Database, Orm } from '../database.ts';
import { onceBuilt } from '../statement.ts';
import { accountStorage } from '../schema/account-storage.ts';
import { accounts, apiKeys, plans } from '../schema/accounts.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 256 bits need 43 digits of base 62. */
const DIGITS = 43;
const PREFIX_LENGTH = 8;

const TEST_KEY_START = 'bk_test_';

/** Creates a key: `bk_`, or `bk_test_` for a test account, and 256 random bits in base 62. */
export function mintApiKey(test = false): string {
  let value = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let text = '';
  for (let i = 0; i < DIGITS; i += 1) {
    text = ALPHABET[Number(value % 62n)]! + text;
    value /= 62n;
  }
  return `${test ? TEST_KEY_START : 'bk_'}${text}`;
}

/**
 * The stored form of a key: SHA-256 in hex. A slow, salted hash protects guessable passwords; 256 random bits cannot
 * be guessed or precomputed. Every request computes this hash, so it must be fast.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The start of a key. It lets a person distinguish keys and reveals nothing else. */
function apiKeyPrefix(key: string, test: boolean): string {
  const length = test ? TEST_KEY_START.length + PREFIX_LENGTH - 'bk_'.length : PREFIX_LENGTH;
  return key.slice(0, Math.min(length, Math.floor(key.length / 4)));
}

export interface ApiKey extends KeyPowers {
  id: string;
  accountId: string;
  name: string;
  prefix: string;
  createdAt: string;
  /** To the minute */
  lastUsedAt: string | null;
  lastUsedAddress: string | null;
  /** Created by Burnish for itself, for sign-in links or for commands on its machine */
  internal: boolean;
  /** Of a test account */
  test: boolean;
}

export interface ApiKeyHolder extends KeyPowers {
  account: Account;
  plan: Plan;
  keyId: string;
  /** Stored bytes of the account */
  storedBytes: number;
}

type KeyRequest = Partial<KeyPowers & Pick<ApiKey, 'internal' | 'test'>>;

/** Longer input is never a valid key and is not hashed. */
const MAX_KEY_LENGTH = 256;
const LAST_USE_EVERY_MS = 60_000;

const { hash: _hash, ...COLUMNS } = getTableColumns(apiKeys);
const { id, accountId, lastUsedAt, scopes, expiresAt } = COLUMNS;
const SHOWN = { ...COLUMNS, test: sql<boolean>`${accounts.testOf} is not null` };
/** The stored bytes of the account of a key. */
export const STORED_BYTES = sql<number>`coalesce((
  select ${accountStorage.bytes} from ${accountStorage} where ${accountStorage.accountId} = ${accounts.id}
), 0)::float8`;
/** The keys of an account and of its test account. */
const ofAccount = (id: string): SQL | undefined => or(eq(accounts.id, id), eq(accounts.testOf, id));

export type ApiKeys = ReturnType<typeof createApiKeys>;

const holder = onceBuilt((orm) =>
  orm
    .select({
      ...{ id, lastUsedAt, scopes, expiresAt, storedBytes: STORED_BYTES },
      account: getTableColumns(accounts),
      plan: getTableColumns(plans),
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, accountId))
    .innerJoin(plans, eq(plans.id, accounts.plan))
    .where(eq(apiKeys.hash, sql.placeholder('hash')))
    .prepare('api_key_holder'),
);

/** Keys of accounts. The database stores only their hashes; a lost key is replaced, never shown again. */
export function createApiKeys({ orm }: Pick<Database, 'orm'>, now: () => number = Date.now) {
  return {
    /**
     * The account and key of a secret; undefined for an unknown or expired key. Records the use at most once a
     * minute.
     * @param address IP address of the request
     */
    async authenticate(key: string, address?: string): Promise<ApiKeyHolder | undefined> {
      if (key.length > MAX_KEY_LENGTH) return undefined;
      const [found] = await holder(orm).execute({ hash: hashApiKey(key) });
      if (found === undefined || isOver(found.expiresAt, now())) return undefined;
      await noteUse(orm, found, { nowMs: now(), address });
      const { account, plan, id: keyId, scopes, expiresAt, storedBytes } = found;
      return { account, plan, keyId, scopes, expiresAt, storedBytes };
    },

    /**
     * Creates a key.
     * @param wanted all scopes, no expiry, not internal and no test key by default; `test` for a test account alone
     * @returns the key itself, which cannot be read again
     * @throws Failure BAD_USER_INPUT when the account has too many
     */
    create(accountId: string, name: string, wanted: KeyRequest = {}): Promise<{ apiKey: ApiKey; key: string }> {
      return orm.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if ((await tx.$count(apiKeys, eq(apiKeys.accountId, accountId))) >= MAX_API_KEYS) {
          throw new Failure('BAD_USER_INPUT', {
            detail: `An account has at most ${MAX_API_KEYS} API keys. Delete one first.`,
          });
        }
        const key = mintApiKey(wanted.test);
        return { key, apiKey: await insertApiKey(tx, { ...wanted, name, accountId, key, nowMs: now() }) };
      });
    },

    async get(accountId: string, keyId: string): Promise<ApiKey | undefined> {
      const [apiKey] = await orm
        .select(SHOWN)
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .where(and(ofAccount(accountId), eq(apiKeys.id, keyId)));
      return apiKey;
    },

    /** Keys of the account and of its test account, oldest first. @param includeInternal also the keys that Burnish created for itself */
    list(accountId: string, { includeInternal }: { includeInternal: boolean }): Promise<ApiKey[]> {
      return orm
        .select(SHOWN)
        .from(apiKeys)
        .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
        .where(and(ofAccount(accountId), includeInternal ? undefined : eq(apiKeys.internal, false)))
        .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
    },

    async remove(accountId: string, keyId: string): Promise<boolean> {
      const removed = await orm
        .delete(apiKeys)
        .where(
          and(
            inArray(apiKeys.accountId, orm.select({ id: accounts.id }).from(accounts).where(ofAccount(accountId))),
            eq(apiKeys.id, keyId),
          ),
        )
        .returning({ id: apiKeys.id });
      return removed.length > 0;
    },
  };
}

export async function insertApiKey(
  orm: Orm,
  {
    accountId,
    name,
    key,
    nowMs,
    ...wanted
  }: KeyRequest & { accountId: string; name: string; key: string; nowMs: number },
): Promise<ApiKey> {
  const test = wanted.test ?? false;
  const apiKey = {
    id: newId('key', nowMs),
    accountId,
    name,
    prefix: apiKeyPrefix(key, test),
    createdAt: new Date(nowMs).toISOString(),
    lastUsedAt: null,
    lastUsedAddress: null,
    scopes: sortedScopes(wanted.scopes ?? SCOPES),
    expiresAt: wanted.expiresAt ?? null,
    internal: wanted.internal ?? false,
  };
  await orm.insert(apiKeys).values({ ...apiKey, hash: hashApiKey(key) });
  return { ...apiKey, test };
}

/** Whether a time has passed. @param at ISO 8601; null: never */
export function isOver(at: string | null, nowMs: number): boolean {
  return at !== null && Date.parse(at) <= nowMs;
}

/** Records the use of a key, at most once a minute. */
export async function noteUse(
  orm: Orm,
  { id, lastUsedAt }: Pick<ApiKey, 'id' | 'lastUsedAt'>,
  { nowMs, address }: { nowMs: number; address: string | undefined },
): Promise<void> {
  const due = new Date(nowMs - LAST_USE_EVERY_MS).toISOString();
  if (lastUsedAt !== null && lastUsedAt > due) return;
  await orm
    .update(apiKeys)
    .set({ lastUsedAt: new Date(nowMs).toISOString(), lastUsedAddress: address ?? null })
    .where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, due))));
}
