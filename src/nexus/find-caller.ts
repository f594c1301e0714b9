import type { StartOperationContext } from 'nexus-rpc';
import { ALL_POWERS } from '../api/commands/checks.ts';
import type { Caller } from '../api/commands/command-types.ts';
import type { Stores } from '../database/stores.ts';
import { Failure } from '../domain/failures.ts';

export interface FindCallerDeps {
  nexusEndpoints: Pick<Stores['nexusEndpoints'], 'get'>;
  accounts: Pick<Stores['accounts'], 'get' | 'getPlanOfAccount'>;
}

/** Form of a link to an event of the calling workflow: `temporal:///namespaces/shop/workflows/…` */
const CALLER_LINK = /^temporal:\/\/\/namespaces\/([^/]+)\/workflows\//;

/**
 * The account of an operation, by the endpoint that its caller used.
 * @param endpoint name of the endpoint; empty from a Temporal server before 1.30, which does not tell it
 * @throws Failure FORBIDDEN for an endpoint without an account, and for a caller in another namespace;
 * ACCOUNT_SUSPENDED
 */
export async function findCaller(
  { nexusEndpoints, accounts }: FindCallerDeps,
  endpoint: string,
  { inboundLinks }: Pick<StartOperationContext, 'inboundLinks'>,
): Promise<Caller> {
  const known = endpoint === '' ? undefined : await nexusEndpoints.get(endpoint);
  if (known === undefined) throw noEndpoint(endpoint);
  const namespaces = inboundLinks.map(({ url }) => CALLER_LINK.exec(url.href)?.[1]);
  if (!namespaces.some((each) => each !== undefined && decodeURIComponent(each) === known.callerNamespace)) {
    const detail = `The endpoint ${endpoint} is for workflows of the namespace ${known.callerNamespace}.`;
    throw new Failure('FORBIDDEN', { detail: `${detail} Ask the operator for an endpoint of your own.` });
  }
  const caller = await readCaller({ accounts }, endpoint, known.accountId);
  if (caller === undefined || caller.account.deletedAt !== null) throw noEndpoint(endpoint);
  if (caller.account.suspendedAt !== null) throw new Failure('ACCOUNT_SUSPENDED');
  return caller;
}

/** The caller of an earlier operation, whatever became of its account; undefined for an unknown account. */
export async function readCaller(
  { accounts }: Pick<FindCallerDeps, 'accounts'>,
  endpoint: string,
  accountId: string,
): Promise<Caller | undefined> {
  const [account, plan] = await Promise.all([accounts.get(accountId), accounts.getPlanOfAccount(accountId)]);
  if (account === undefined || plan === undefined) return undefined;
  return { account, plan, ...ALL_POWERS, keyId: endpoint, viaEndpoint: true, address: null };
}

function noEndpoint(endpoint: string): Failure {
  const detail =
    endpoint === ''
      ? 'The Temporal server does not name the endpoint of the caller. Upgrade it to version 1.30 or later.'
      : `The endpoint ${endpoint} has no account here. Ask the operator to run: burnish endpoints create ${endpoint}`;
  return new Failure('FORBIDDEN', { detail });
}
