import { eq, sql } from 'drizzle-orm';
import { type Account, OPERATOR } from '@burnish/contract';
import { hashApiKey, mintApiKey, insertApiKey } from './api-keys.ts';
import { createAuditLog } from './audit-log.ts';
import { createAccounts, newAccount, webhookSecretAad } from './accounts.ts';
import { requirePlan } from './plans.ts';
import type { Database, Orm } from '../database.ts';
import { accounts, apiKeys } from '../schema/accounts.ts';
import type { Vault } from '../../secrets/key-ring.ts';

export interface InitialAccount {
  /** Absent: FREE for a new account, and no change of an existing one */
  plan?: string;
  /** Absent: those of the plan for a new account, and no change of an existing one */
  creditsPerPeriod?: number;
  apiKey?: string;
}

/**
 * Creates the first account of an instance and its first key, exactly once across all processes. Later starts update
 * the plan and the credits if they are given. A new plan applies at once; the ledger defines when new credits apply.
 * A chosen key that is not stored yet is added.
 * @returns the account with its webhook secret decrypted; `apiKey` only when this call created one, since it is shown
 * once; `isNew` when this call created the account
 * @throws Failure BAD_USER_INPUT for an unknown plan
 */
export function ensureInitialAccount(
  { orm }: Pick<Database, 'orm'>,
  vault: Vault,
  { apiKey, ...given }: InitialAccount,
): Promise<{ account: Account; apiKey: string | null; isNew: boolean }> {
  return orm.transaction(async (tx) => {
    await tx.execute(sql`lock table ${accounts} in share row exclusive mode`);
    const known = await createAccounts({ orm: tx }, vault).initial();
    if (given.plan !== undefined) await requirePlan(tx, given.plan);
    const account = known ?? newAccount({ name: 'Default', plan: 'FREE', ...given }, vault, Date.now());
    const audit = createAuditLog({ orm: tx });
    const by = { ...OPERATOR, accountId: account.id };
    if (known === undefined) {
      await tx.insert(accounts).values(account);
    } else {
      const { plan = known.plan, creditsPerPeriod = known.creditsPerPeriod } = given;
      if (known.plan !== plan || known.creditsPerPeriod !== creditsPerPeriod) {
        const before = { planBefore: known.plan, creditsPerPeriodBefore: known.creditsPerPeriod };
        const details = { plan, creditsPerPeriod, ...before };
        await audit.record({ ...by, action: 'plan.change', subjectId: null, details });
        Object.assign(account, { plan, creditsPerPeriod });
        await createAccounts({ orm: tx }, vault).update(known.id, { plan, creditsPerPeriod });
      }
    }
    const made = known || apiKey !== undefined ? null : mintApiKey();
    const key = apiKey ?? made;
    if (key !== null && !(await isKnown(tx, key))) {
      const name = 'First key';
      const { id: subjectId } = await insertApiKey(tx, { accountId: account.id, name, key, nowMs: Date.now() });
      await audit.record({ ...by, action: 'api_key.create', subjectId, details: { name } });
    }
    const webhookSecret = vault.open(account.webhookSecret, webhookSecretAad(account.id));
    return { account: { ...account, webhookSecret }, apiKey: made, isNew: known === undefined };
  });
}

async function isKnown(tx: Orm, key: string): Promise<boolean> {
  return (await tx.$count(apiKeys, eq(apiKeys.hash, hashApiKey(key)))) > 0;
}
