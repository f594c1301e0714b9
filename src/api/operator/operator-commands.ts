import {
  type Account,
  OPERATOR,
  type AuditActor,
  type AuditEntry,
  counted,
  type CreditBalance,
  type LedgerLine,
  type Enhancement,
  Failure,
  isId,
} from '@burnish/contract';
import type { AuditRequest, AuditLog } from '../../database/accounts/audit-log.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { creditsChanged, uploadWorkflowId } from '../../domain/temporal/workflow-interface.ts';
import { keyName, type KeyRequest } from '../api-keys/api-key-commands.ts';
import { ALL_POWERS, powersFor } from '../commands/checks.ts';
import { isPlainText } from '../schemas/fields.ts';
import type { AccountRecords } from '../../database/accounts/account-changes.ts';
import type { ApiKey, ApiKeys } from '../../database/accounts/api-keys.ts';
import type { TemporalClient } from '../commands/command-types.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { SignInLinks } from '../../database/accounts/sign-in-links.ts';
import type { SigningKeys } from '../../database/instance-secrets.ts';
import type { CreditLedger } from '../../database/credits/credit-ledger.ts';

/** Lifetime of a sign-in link on request, in milliseconds. */
const LINK_MS = 15 * 60_000;
/**
 * Lifetime of the first start's sign-in link, in milliseconds. It is longer, since the operator may not be at the
 * machine.
 */
export const FIRST_LINK_MS = 60 * 60_000;

/**
 * The sign-in URL for single use. The token is in the fragment, which browsers do not send, so it reaches no log and
 * no link scanner.
 */
export const signInUrl = (publicUrl: string, token: string): string => `${publicUrl}/sign-in#token=${token}`;

export interface TopUp {
  credits: number;
  /** A reference such as an invoice number; credits are added once for each reference */
  reference: string;
}

export interface OperatorDeps {
  accounts: Accounts;
  signInLinks: SignInLinks;
  signingKeys: SigningKeys;
  audit: AuditLog;
  apiKeys: AccountRecords['apiKeys'] & Pick<ApiKeys, 'list'>;
  ledger: Pick<CreditLedger, 'balance' | 'lines'> & {
    topUp(order: TopUp & { accountId: string; nowMs: number }): Promise<{ added: boolean; credits: number }>;
  };
  enhancements: { awaitingCredits(accountId: string): Promise<Enhancement[]> };
  /** Base URL of the gateway for callers, without a trailing slash */
  publicUrl: string;
  operatorKey: string;
  /**
   * Undefined while the workflow service is unavailable: waiting workflows then check the balance themselves within
   * 15 minutes.
   */
  client: TemporalClient | undefined;
  /** Milliseconds since the epoch */
  now: () => number;
}

const SIGNAL_WITHIN_MS = 10_000;
const MAX_CREDITS = 1_000_000_000;
const MAX_REFERENCE_LENGTH = 200;

export function createOperatorCommands(deps: OperatorDeps) {
  const { apiKeys, ledger, audit } = deps;

  async function account(): Promise<Account> {
    const initial = await deps.accounts.initial();
    if (initial === undefined)
      throw new Failure('NOT_FOUND', { detail: 'The instance has no account. Start it, or create an account.' });
    return initial;
  }

  return {
    /**
     * Adds credits to the current period, and signals the workflows that wait for them. A repetition adds nothing and
     * signals again.
     * @throws Failure BAD_USER_INPUT when the reference was used for another number of credits
     */
    topUp: async (order: TopUp): Promise<{ added: boolean; balance: CreditBalance }> =>
      topUpAccount(deps, await account(), order, OPERATOR),
    credits: async (): Promise<CreditBalance> => ledger.balance((await account()).id, deps.now()),
    /** Lines of the ledger, newest first. @throws Failure BAD_USER_INPUT for an invalid page */
    ledger: async (request: PageRequest): Promise<Page<LedgerLine>> => ledger.lines((await account()).id, request),
    /** @param options.includeInternal also the keys that Burnish created for itself; false by default */
    listApiKeys: async (options: { includeInternal: boolean } = { includeInternal: false }): Promise<ApiKey[]> =>
      apiKeys.list((await account()).id, options),
    /** Creates a key. It is shown once. @throws Failure BAD_USER_INPUT with field `expiresAt` */
    async createApiKey(
      given: string,
      { test = false, ...wanted }: Omit<KeyRequest, 'name'> = {},
    ): Promise<{ apiKey: ApiKey; key: string }> {
      const [name, powers] = [keyName(given), powersFor(ALL_POWERS, wanted, deps.now())];
      const { id: accountId } = await account();
      const of = test ? await deps.accounts.ensureTestAccount(accountId) : { id: accountId };
      const made = await apiKeys.create(of.id, name, { ...powers, test });
      const entry = { accountId, action: 'api_key.create', subjectId: made.apiKey.id } as const;
      await audit.record({ ...OPERATOR, ...entry, details: { name, ...powers, ...(test && { test }) } });
      return made;
    },
    /** @throws Failure NOT_FOUND */
    async deleteApiKey(id: string): Promise<void> {
      const { id: accountId } = await account();
      const known = isId('key', id) ? await apiKeys.get(accountId, id) : undefined;
      if (known === undefined || !(await apiKeys.remove(accountId, id)))
        throw new Failure('NOT_FOUND', { detail: `No key has the id ${id}. List the keys to find it.` });
      await audit.record({
        ...OPERATOR,
        accountId,
        action: 'api_key.delete',
        subjectId: id,
        details: { name: known.name },
      });
    },
    /** Creates a link that signs in at the dashboard once, within 15 minutes. */
    async signInLink(): Promise<{ url: string; expiresAt: string }> {
      const { id: accountId } = await account();
      const { token, expiresAt } = await deps.signInLinks.create(accountId, LINK_MS);
      await audit.record({ ...OPERATOR, accountId, action: 'sign_in_link.create', subjectId: null });
      return { url: signInUrl(deps.publicUrl, token), expiresAt };
    },
    /**
     * Replaces the key that signs file URLs.
     * @param atOnce whether earlier URLs stop working at once; otherwise they remain valid until they expire
     * @returns the time from which the new key signs, ISO 8601
     */
    async rotateSigningKey(atOnce: boolean): Promise<{ signsFrom: string }> {
      const { id: accountId } = await account();
      const { id, signsFromMs } = await deps.signingKeys.rotate(atOnce);
      const entry = { accountId, action: 'signing_key.rotate', subjectId: id, details: { atOnce } } as const;
      await audit.record({ ...OPERATOR, ...entry });
      return { signsFrom: new Date(signsFromMs).toISOString() };
    },
    /** The operator's key, for `/v1/operator` and the dashboard. */
    operatorKey: (): Promise<string> => Promise.resolve(deps.operatorKey),
    /** The audit log, newest first. @throws Failure BAD_USER_INPUT for an invalid page */
    auditLog: async (request: AuditRequest): Promise<Page<AuditEntry>> => audit.list((await account()).id, request),
  };
}

/** Commands of the operator for the default account, the oldest account. They need no key. */
export type OperatorCommands = ReturnType<typeof createOperatorCommands>;

/**
 * Adds credits to the current period of an account, once for each reference, and signals the workflows that wait for
 * them.
 * @throws Failure BAD_USER_INPUT when the reference was used for another number of credits
 */
export async function topUpAccount(
  deps: Pick<OperatorDeps, 'ledger' | 'audit' | 'client' | 'enhancements' | 'now'>,
  { id: accountId }: Pick<Account, 'id'>,
  order: TopUp,
  by: AuditActor,
): Promise<{ added: boolean; balance: CreditBalance }> {
  assertTopUp(order);
  const { added, credits } = await deps.ledger.topUp({ ...order, accountId, nowMs: deps.now() });
  if (credits !== order.credits) {
    const detail = `The reference ${order.reference} has already been used, for ${counted(credits, 'credit')}.`;
    throw new Failure('BAD_USER_INPUT', { field: 'reference', detail });
  }
  const { reference } = order;
  const entry = { accountId, action: 'credits.top_up', subjectId: reference, details: { credits } } as const;
  await deps.audit.record({ ...by, ...entry, once: true });
  // Also after a repetition: a process may have crashed between the top-up and the signal.
  if (deps.client !== undefined) await signalCredits(deps.client, await deps.enhancements.awaitingCredits(accountId));
  return { added, balance: await deps.ledger.balance(accountId, deps.now()) };
}

function assertTopUp({ credits, reference }: TopUp): void {
  if (!Number.isInteger(credits) || credits < 1 || credits > MAX_CREDITS) {
    throw new Failure('BAD_USER_INPUT', {
      field: 'credits',
      detail: `The number of credits is not valid. Send 1 to ${counted(MAX_CREDITS, 'credit')}.`,
    });
  }
  if (reference === '' || reference.length > MAX_REFERENCE_LENGTH || !isPlainText(reference)) {
    const detail = `The reference is not valid. Send 1 to ${MAX_REFERENCE_LENGTH} characters without control characters.`;
    throw new Failure('BAD_USER_INPUT', { field: 'reference', detail });
  }
}

/** Signals waiting workflows. A workflow without the signal has ended, or checks the balance itself later. */
async function signalCredits(client: TemporalClient, waiting: readonly Enhancement[]): Promise<void> {
  const uploadIds = [...new Set(waiting.map(({ uploadId }) => uploadId))];
  await client.withDeadline(Date.now() + SIGNAL_WITHIN_MS, () =>
    Promise.allSettled(uploadIds.map((id) => client.workflow.getHandle(uploadWorkflowId(id)).signal(creditsChanged))),
  );
}
