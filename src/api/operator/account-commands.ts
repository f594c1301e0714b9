import {
  type Account,
  type Plan,
  OPERATOR,
  type AuditActor,
  type AuditDetails,
  type UsageRow,
  Failure,
  isId,
  type CreditBalance,
} from '@burnish/contract';
import type { AccountSettings, Accounts } from '../../database/accounts/accounts.ts';
import type { UsageRequest, UsageStore } from '../../database/accounts/usage.ts';
import {
  effectiveJobsAtOnce,
  effectiveRequestsPerMinute,
  effectiveStoredBytes,
} from '../../domain/accounts/account-limits.ts';
import { changeByOperator } from './change-by-operator.ts';
import type { AccountRepresentation } from './operator-schemas.ts';
import type { TopUp } from './operator-commands.ts';
import type { Plans } from '../../database/accounts/plans.ts';
import type { AccountDeletion } from '../../database/accounts/account-deletion.ts';
import type { AccountStorage } from '../../database/accounts/account-storage.ts';
import type { CreditLedger } from '../../database/credits/credit-ledger.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';

export type NewAccountOrder = Pick<Account, 'name' | 'plan'> & Partial<AccountSettings>;

export interface AccountCommandsDeps {
  accounts: Accounts;
  plans: Plans;
  deletion: AccountDeletion;
  usage: UsageStore;
  accountStorage: AccountStorage;
  ledger: CreditLedger;
  accountChanges: AccountChanges;
  /** Tops up an account and signals workflows that wait for credits */
  topUp: (account: Account, order: TopUp, by: AuditActor) => Promise<{ added: boolean; balance: CreditBalance }>;
  /** Milliseconds since the epoch */
  now: () => number;
}

/** Commands of the operator about accounts and plans. Each change is an entry of the audit log. @param by the actor of that entry */
export function createAccountCommands(deps: AccountCommandsDeps) {
  async function represent(account: Account): Promise<AccountRepresentation> {
    return (await representAll([account]))[0]!;
  }

  async function representAll(accounts: readonly Account[]): Promise<AccountRepresentation[]> {
    const ids = accounts.map(({ id }) => id);
    const [plans, open, stored] = await Promise.all([
      deps.plans.list(),
      deps.usage.openByAccount(ids),
      deps.accountStorage.bytes(ids),
    ]);
    const plansById = new Map(plans.map((plan) => [plan.id, plan]));
    return Promise.all(
      accounts.map((each) => {
        const facts = { openEnhancements: open.get(each.id) ?? 0, storedBytes: stored.get(each.id) ?? 0 };
        return withFacts(each, plansById.get(each.plan)!, facts);
      }),
    );
  }

  async function withFacts(
    account: Account,
    plan: Plan,
    facts: Pick<AccountRepresentation, 'openEnhancements' | 'storedBytes'>,
  ): Promise<AccountRepresentation> {
    const { webhookSecret: _secret, ...shown } = account;
    const [deletion, credits] = await Promise.all([
      account.deletedAt === null ? null : deps.deletion.receipt(account.id),
      account.deletedAt === null ? deps.ledger.balance(account.id, deps.now()) : null,
    ]);
    return {
      ...shown,
      status: account.deletedAt !== null ? 'DELETED' : account.suspendedAt !== null ? 'SUSPENDED' : 'ACTIVE',
      effective: {
        creditsPerPeriod: account.creditsPerPeriod ?? plan.creditsPerPeriod,
        requestsPerMinute: effectiveRequestsPerMinute(account, plan),
        jobsAtOnce: effectiveJobsAtOnce(account, plan),
        maxStoredBytes: effectiveStoredBytes(account, plan),
      },
      ...facts,
      remainingCreditsThisPeriod: credits?.remaining ?? null,
      deletion: deletion ?? null,
    };
  }

  async function require(id: string): Promise<Account> {
    const account = isId('acc', id) ? await deps.accounts.get(id) : undefined;
    if (account === undefined) throw noAccount(id);
    return account;
  }

  async function setSuspended(id: string, suspended: boolean, by: AuditActor): Promise<AccountRepresentation> {
    const { id: accountId } = await require(id);
    const action = suspended ? 'account.suspend' : 'account.resume';
    await changeByOperator(deps, by, async ({ accounts }) => {
      const changed = await accounts.suspend(accountId, suspended);
      return { accountId, ...(changed ? { action } : {}), value: null };
    });
    return represent(await require(id));
  }

  return {
    /**
     * Creates an account with its first key, which is shown once.
     * @throws Failure BAD_USER_INPUT for an unknown plan, or a name that another account has
     */
    async createAccount(
      order: NewAccountOrder,
      by: AuditActor = OPERATOR,
    ): Promise<{ account: AccountRepresentation; key: string }> {
      const made = await changeByOperator(deps, by, async ({ accounts, apiKeys, audit }) => {
        await assertNameFree(accounts, order.name);
        const account = await accounts.create(order);
        const { apiKey, key } = await apiKeys.create(account.id, 'First key');
        const entry = { accountId: account.id, action: 'api_key.create', subjectId: apiKey.id } as const;
        await audit.record({ ...by, ...entry, details: { name: apiKey.name } });
        const details = { ...order, allowedTiers: order.allowedTiers ?? null };
        return { accountId: account.id, action: 'account.create', details, value: { account, key } };
      });
      return { account: await represent(made.account), key: made.key };
    },
    /** Accounts, newest first, including deleted ones. */
    listAccounts: async (page: { limit: number; after?: string | undefined }): Promise<AccountRepresentation[]> =>
      representAll(await deps.accounts.list(page)),
    showAccount: async (id: string): Promise<AccountRepresentation> => represent(await require(id)),
    async changeAccount(
      id: string,
      wanted: Partial<AccountSettings>,
      by: AuditActor = OPERATOR,
    ): Promise<AccountRepresentation> {
      const { id: accountId } = await require(id);
      const after = await changeByOperator(deps, by, async ({ accounts }) => {
        if (wanted.name !== undefined) await assertNameFree(accounts, wanted.name, accountId);
        const changed = await accounts.update(accountId, wanted);
        const details = differences(changed.before, changed.after);
        const action = Object.keys(details).length === 0 ? {} : { action: 'account.change' as const };
        return { accountId, ...action, details, value: changed.after };
      });
      return represent(after);
    },
    /** Calls `OperatorCommands.topUp` for any account. @throws Failure BAD_USER_INPUT, NOT_FOUND */
    async grantCredits(
      id: string,
      order: TopUp,
      by: AuditActor = OPERATOR,
    ): Promise<{ added: boolean; balance: CreditBalance }> {
      const account = await require(id);
      if (account.deletedAt !== null) throw noAccount(id);
      return deps.topUp(account, order, by);
    },
    /**
     * Suspends an account: its requests are refused with ACCOUNT_SUSPENDED from now on; accepted work continues.
     * @throws Failure NOT_FOUND
     */
    suspendAccount: (id: string, by: AuditActor = OPERATOR): Promise<AccountRepresentation> =>
      setSuspended(id, true, by),
    resumeAccount: (id: string, by: AuditActor = OPERATOR): Promise<AccountRepresentation> =>
      setSuspended(id, false, by),
    /** Deletes all credentials of an account at once, and its files within minutes. @throws Failure NOT_FOUND */
    async deleteAccount(id: string, by: AuditActor = OPERATOR): Promise<AccountRepresentation> {
      const { id: accountId, name, deletedAt } = await require(id);
      if (deletedAt === null) {
        await changeByOperator(deps, by, async ({ accounts, deletion }) => {
          const test = await accounts.testAccount(accountId);
          for (const id of [...(test === undefined ? [] : [test.id]), accountId]) {
            const { deletedAt } = await accounts.markDeleted(id);
            await deletion.begin(id, deletedAt!);
          }
          return { accountId, action: 'account.delete', details: { name }, value: null };
        });
      }
      return represent(await require(id));
    },
    listPlans: (): Promise<Plan[]> => deps.plans.list(),
    /** Adds or changes a plan; the change applies from the next request on. */
    putPlan: (given: Plan, by: AuditActor = OPERATOR): Promise<Plan> =>
      changeByOperator(deps, by, async ({ plans }) => {
        const { before, after: plan } = await plans.put(given);
        const details = before === undefined ? { ...plan } : differences(before, plan);
        const action = Object.keys(details).length === 0 ? {} : { action: 'plan.define' as const };
        return { accountId: null, ...action, subjectId: plan.id, details, value: plan };
      }),
    /** @throws Failure BAD_USER_INPUT for a report that would be too long */
    usage: (request: UsageRequest): Promise<UsageRow[]> => deps.usage.rows(request),
  };
}

export const noAccount = (id: string): Failure => {
  const detail = `No account has the id ${id.slice(0, 60)}. List the accounts to find the name.`;
  return new Failure('NOT_FOUND', { detail });
};

/**
 * Checks that a name is free. Names are unique, so that a name identifies one account and a repeated request creates
 * no second one.
 */
async function assertNameFree(accounts: Accounts, name: string, except?: string): Promise<void> {
  const holder = await accounts.named(name);
  if (holder === undefined || holder.id === except) return;
  const detail = `The account ${holder.id} has this name already. Choose another name.`;
  throw new Failure('BAD_USER_INPUT', { field: 'name', detail });
}

/** Each changed field with its new value, and the old value as `<field>Before`. */
function differences<T extends object>(before: T, after: T): AuditDetails {
  const changed = (Object.keys(after) as (keyof T & string)[]).filter(
    (field) => JSON.stringify(after[field]) !== JSON.stringify(before[field]),
  );
  return Object.fromEntries(
    changed.flatMap((field) => [
      [field, after[field]],
      [`${field}Before`, before[field]],
    ]),
  ) as AuditDetails;
}
