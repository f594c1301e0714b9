import { asc, eq, sql } from 'drizzle-orm';
import { RETENTION_DAYS, type Account, type Plan } from '../../domain/accounts/account.ts';
import { OPERATOR } from '../../domain/accounts/audit.ts';
import { Failure } from '../../domain/failures.ts';
import { hashApiKey, mintApiKey } from './api-key-format.ts';
import { insertApiKey } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import type { Database, Orm } from '../database.ts';
import { newId } from '../new-id.ts';
import { accounts, apiKeys } from '../schema/accounts.ts';
import type { Vault } from '../../secrets/vault.ts';
import { newWebhookSecret } from '../webhooks/webhook-secret.ts';

export interface FirstAccount {
  plan: Plan;
  creditsPerPeriod: number;
  /** A key that the operator chose; a new one is made otherwise */
  apiKey?: string;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Accounts: the owners of everything else. */
export function createAccounts({ orm }: Pick<Database, 'orm'>, vault: Vault, now: () => number = Date.now) {
  return {
    /**
     * Makes the first account with its first key, once, whichever process comes first. Later starts bring plan and
     * credits a period up to date: the plan holds at once; see the ledger for when credits do. A chosen key that is not
     * known yet is added.
     * @returns the account with its webhook secret decrypted; `apiKey` only when one was made just now: it is shown this once; `isNew` when the account was
     */
    ensureFirst({
      plan,
      creditsPerPeriod,
      apiKey,
    }: FirstAccount): Promise<{ account: Account; apiKey: string | null; isNew: boolean }> {
      return orm.transaction(async (tx) => {
        await tx.execute(sql`lock table ${accounts} in share row exclusive mode`);
        const [known] = await tx.select().from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id)).limit(1);
        const account = known ?? (await insertFirst(tx, vault, { plan, creditsPerPeriod }, now()));
        const audit = createAuditLog({ orm: tx }, now);
        if (known && (known.plan !== plan || known.creditsPerPeriod !== creditsPerPeriod)) {
          const details = {
            plan,
            creditsPerPeriod,
            planBefore: known.plan,
            creditsPerPeriodBefore: known.creditsPerPeriod,
          };
          await audit.record({ ...OPERATOR, accountId: account.id, action: 'plan.change', subjectId: null, details });
          Object.assign(account, { plan, creditsPerPeriod });
          await tx.update(accounts).set({ plan, creditsPerPeriod }).where(eq(accounts.id, known.id));
        }
        const made = known || apiKey !== undefined ? null : mintApiKey();
        const key = apiKey ?? made;
        if (key !== null && !(await isKnown(tx, key))) {
          const name = 'First key';
          const { id: subjectId } = await insertApiKey(tx, { accountId: account.id, name, key, nowMs: now() });
          await audit.record({
            ...OPERATOR,
            accountId: account.id,
            action: 'api_key.create',
            subjectId,
            details: { name },
          });
        }
        const webhookSecret = vault.open(account.webhookSecret, webhookSecretPlace(account.id));
        return { account: { ...account, webhookSecret }, apiKey: made, isNew: known === undefined };
      });
    },

    /** The account that an instance has from its start; undefined before that. */
    async first(): Promise<Account | undefined> {
      const [account] = await orm.select().from(accounts).orderBy(asc(accounts.createdAt), asc(accounts.id)).limit(1);
      return account;
    },

    async get(id: string): Promise<Account | undefined> {
      const [account] = await orm.select().from(accounts).where(eq(accounts.id, id));
      return account;
    },

    /**
     * Sets how long new uploads are kept; those that exist keep theirs.
     * @param days 1 to 365
     * @throws Failure BAD_USER_INPUT, NOT_FOUND
     */
    async updateRetention(id: string, days: number): Promise<Account> {
      const { min, max } = RETENTION_DAYS;
      if (!Number.isInteger(days) || days < min || days > max) {
        throw new Failure('BAD_USER_INPUT', { field: 'days', detail: `Expected days from ${min} to ${max}.` });
      }
      const [account] = await orm.update(accounts).set({ retentionDays: days }).where(eq(accounts.id, id)).returning();
      if (account === undefined) throw new Failure('NOT_FOUND');
      return account;
    },
  };
}

/** Where the vault keeps the secret of an account. */
export const webhookSecretPlace = (accountId: string): string => `accounts/${accountId}/webhook_secret`;

async function insertFirst(
  tx: Orm,
  vault: Vault,
  { plan, creditsPerPeriod }: FirstAccount,
  nowMs: number,
): Promise<Account> {
  const id = newId('acc', nowMs);
  const account: Account = {
    id,
    name: 'First account',
    plan,
    creditsPerPeriod,
    retentionDays: RETENTION_DAYS.default,
    webhookSecret: vault.seal(newWebhookSecret(), webhookSecretPlace(id)),
    createdAt: new Date(nowMs).toISOString(),
  };
  await tx.insert(accounts).values(account);
  return account;
}

async function isKnown(tx: Orm, key: string): Promise<boolean> {
  return (await tx.$count(apiKeys, eq(apiKeys.hash, hashApiKey(key)))) > 0;
}
