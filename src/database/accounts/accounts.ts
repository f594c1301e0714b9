import { and, asc, desc, eq, getTableColumns, isNull, lt, ne, or, sql } from 'drizzle-orm';
import {
  MAX_ACCOUNT_NAME_LENGTH,
  RETENTION_DAYS,
  type Account,
  type AccountLimits,
  type Plan,
  Failure,
  newId,
} from '@burnish/contract';
import { assertRetentionBounds, TEST_CREDITS_PER_PERIOD } from '../../domain/accounts/account-limits.ts';
import { requirePlan } from './plans.ts';
import type { Database, Orm } from '../database.ts';
import { accounts, plans } from '../schema/accounts.ts';
import type { Vault } from '../../secrets/key-ring.ts';
import { newWebhookSecret } from '../webhooks/webhook-secret.ts';

/** The settings that an operator may change. */
export type AccountSettings = Pick<Account, 'name' | 'plan'> & AccountLimits;

/** Maximum number of accounts in a page. */
export const MAX_LISTED_ACCOUNTS = 500;

export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  return {
    /**
     * Creates an account.
     * @returns the account with its webhook secret encrypted @throws Failure BAD_USER_INPUT for an unknown plan, or
     * bounds of the retention in the wrong order
     */
    async create(given: Pick<Account, 'name' | 'plan'> & Partial<AccountLimits>): Promise<Account> {
      await requirePlan(orm, given.plan);
      const account = newAccount(given, vault, now());
      assertRetentionBounds(account);
      await orm.insert(accounts).values(account);
      return account;
    },

    /**
     * Changes the operator's settings of an account. A retention outside of new bounds becomes the nearest value
     * within them.
     * @returns the account before and after
     * @throws Failure BAD_USER_INPUT, NOT_FOUND; within a transaction
     */
    async update(id: string, change: Partial<AccountSettings>): Promise<{ before: Account; after: Account }> {
      const before = await lockExisting(id);
      if (change.plan !== undefined) await requirePlan(orm, change.plan);
      const changed = { ...before, ...change };
      const { minRetentionDays: min, maxRetentionDays: max, retentionDays } = changed;
      assertRetentionBounds(changed);
      const after = { ...changed, retentionDays: Math.min(max, Math.max(min, retentionDays)) };
      await orm.update(accounts).set(after).where(eq(accounts.id, id));
      const test = await findTestAccount(id);
      if (test !== undefined) {
        const { name: _name, creditsPerPeriod: _credits, ...followed } = change;
        await this.update(test.id, followed);
      }
      return { before, after };
    },

    /** The test account of an account, which the first call creates; the account itself if it is one. @throws Failure NOT_FOUND */
    ensureTestAccount(id: string): Promise<Account> {
      return orm.transaction(async (tx) => {
        const of = await lockExisting(id, tx);
        if (of.testOf !== null) return of;
        const known = await findTestAccount(id, tx);
        if (known !== undefined) return known;
        const {
          plan,
          requestsPerMinute,
          jobsAtOnce,
          maxStoredBytes,
          minRetentionDays,
          maxRetentionDays,
          allowedTiers,
        } = of;
        const bounds = { requestsPerMinute, jobsAtOnce, maxStoredBytes, minRetentionDays, maxRetentionDays };
        const limits = { plan, ...bounds, allowedTiers };
        const given = { ...limits, name: testName(of.name), creditsPerPeriod: TEST_CREDITS_PER_PERIOD };
        const account = { ...newAccount(given, vault, now()), suspendedAt: of.suspendedAt, testOf: id };
        await tx.insert(accounts).values(account);
        return account;
      });
    },

    testAccount: (id: string) => findTestAccount(id),

    /** Suspends the account or lifts the suspension. @returns whether the state changed @throws Failure NOT_FOUND */
    async suspend(id: string, suspended: boolean): Promise<boolean> {
      const { suspendedAt } = await lockExisting(id);
      if ((suspendedAt !== null) === suspended) return false;
      const at = suspended ? new Date(now()).toISOString() : null;
      await orm
        .update(accounts)
        .set({ suspendedAt: at })
        .where(or(eq(accounts.id, id), eq(accounts.testOf, id)));
      return true;
    },

    async markDeleted(id: string): Promise<Account> {
      await lockExisting(id);
      const at = new Date(now()).toISOString();
      const [account] = await orm
        .update(accounts)
        .set({ deletedAt: at, suspendedAt: sql`coalesce(${accounts.suspendedAt}, ${at}::timestamptz)` })
        .where(eq(accounts.id, id))
        .returning();
      return account!;
    },

    /** The oldest account, which every instance creates at its first start; undefined before that. */
    async initial(): Promise<Account | undefined> {
      const [account] = await orm
        .select()
        .from(accounts)
        .where(and(isNull(accounts.deletedAt), isNull(accounts.testOf)))
        .orderBy(asc(accounts.createdAt), asc(accounts.id))
        .limit(1);
      return account;
    },

    async get(id: string): Promise<Account | undefined> {
      const [account] = await orm.select().from(accounts).where(eq(accounts.id, id));
      return account;
    },

    /** The account of that name, unless it is deleted. Within the transaction, no other account can take the name. */
    async named(name: string): Promise<Account | undefined> {
      await orm.execute(sql`lock table ${accounts} in share row exclusive mode`);
      const [account] = await orm
        .select()
        .from(accounts)
        .where(and(eq(accounts.name, name), isNull(accounts.deletedAt)));
      return account;
    },

    async getPlanOfAccount(id: string): Promise<Plan | undefined> {
      const [plan] = await orm
        .select(getTableColumns(plans))
        .from(accounts)
        .innerJoin(plans, eq(plans.id, accounts.plan))
        .where(eq(accounts.id, id));
      return plan;
    },

    /**
     * Accounts, newest first, at most `MAX_LISTED_ACCOUNTS`. @param after id of the last account of the previous page
     */
    list({ limit, after }: { limit: number; after?: string | undefined }): Promise<Account[]> {
      return orm
        .select()
        .from(accounts)
        .where(after === undefined ? undefined : lt(accounts.id, after))
        .orderBy(desc(accounts.id))
        .limit(Math.min(limit, MAX_LISTED_ACCOUNTS));
    },

    /** Whether there is an account besides this one and its test account. */
    async hasOthers(id: string): Promise<boolean> {
      const others = and(ne(accounts.id, id), or(isNull(accounts.testOf), ne(accounts.testOf, id)));
      return (await orm.select({ id: accounts.id }).from(accounts).where(others).limit(1)).length > 0;
    },

    /**
     * Sets the retention of new uploads; existing uploads keep their own.
     * @param days within the bounds of the account
     * @throws Failure BAD_USER_INPUT, NOT_FOUND
     */
    async updateRetention(id: string, days: number): Promise<Account> {
      const known = await lockExisting(id);
      const { minRetentionDays: min, maxRetentionDays: max } = known;
      if (!Number.isInteger(days) || days < min || days > max) {
        throw new Failure('BAD_USER_INPUT', {
          field: 'days',
          detail: `The retention is not within the bounds of the plan. Send ${min} to ${max} days.`,
        });
      }
      await orm.update(accounts).set({ retentionDays: days }).where(eq(accounts.id, id));
      return { ...known, retentionDays: days };
    },
  };

  async function findTestAccount(id: string, db: Orm = orm): Promise<Account | undefined> {
    const [account] = await db
      .select()
      .from(accounts)
      .where(and(eq(accounts.testOf, id), isNull(accounts.deletedAt)));
    return account;
  }

  async function lockExisting(id: string, db: Orm = orm): Promise<Account> {
    const [account] = await db
      .select()
      .from(accounts)
      .where(and(eq(accounts.id, id), isNull(accounts.deletedAt)))
      .for('no key update');
    if (account === undefined) throw new Failure('NOT_FOUND', { detail: `No account has the id ${id}.` });
    return account;
  }
}

const TEST_SUFFIX = ' (test)';
const testName = (name: string): string => name.slice(0, MAX_ACCOUNT_NAME_LENGTH - TEST_SUFFIX.length) + TEST_SUFFIX;

export const webhookSecretAad = (accountId: string): string => `accounts/${accountId}/webhook_secret`;

export function newAccount(
  given: Pick<Account, 'name' | 'plan'> & Partial<AccountLimits>,
  vault: Vault,
  nowMs: number,
): Account {
  const id = newId('acc', nowMs);
  const { minRetentionDays = RETENTION_DAYS.min, maxRetentionDays = RETENTION_DAYS.max } = given;
  return {
    creditsPerPeriod: null,
    requestsPerMinute: null,
    jobsAtOnce: null,
    maxStoredBytes: null,
    allowedTiers: null,
    ...given,
    id,
    minRetentionDays,
    maxRetentionDays,
    retentionDays: Math.min(maxRetentionDays, Math.max(minRetentionDays, RETENTION_DAYS.default)),
    webhookSecret: vault.seal(newWebhookSecret(), webhookSecretAad(id)),
    createdAt: new Date(nowMs).toISOString(),
    suspendedAt: null,
    deletedAt: null,
    testOf: null,
  };
}
