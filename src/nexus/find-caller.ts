import type { OperationContext } from 'nexus-rpc';
import { type EndpointScope, type NexusEndpoint, TOKEN_HEADER, type KeyPowers, Failure } from '@burnish/contract';
import type { Caller } from '../api/commands/command-types.ts';
import type { NexusEndpoints } from '../database/accounts/nexus-endpoints.ts';
import type { Accounts } from '../database/accounts/accounts.ts';

export interface FindCallerDeps {
  nexusEndpoints: Pick<NexusEndpoints, 'prove'>;
  accounts: Pick<Accounts, 'get' | 'getPlanOfAccount'>;
}

/** What a caller of any endpoint may do, in the words of API keys. The scopes of its endpoint bound its orders further. */
const CALLER_POWERS: KeyPowers = { scopes: ['read', 'uploads', 'destinations'], expiresAt: null };

/**
 * The endpoint of a call, which its token proves. Nothing else of a call proves anything: its links come from the caller.
 * @param name of the endpoint; empty from a Temporal server before 1.30, which does not tell it
 * @throws Failure FORBIDDEN for an unknown endpoint, and without a valid token
 */
export async function proveEndpoint(
  { nexusEndpoints }: Pick<FindCallerDeps, 'nexusEndpoints'>,
  name: string,
  { headers }: Pick<OperationContext, 'headers'>,
): Promise<NexusEndpoint> {
  if (name === '') throw noEndpoint(name);
  const token = headers[TOKEN_HEADER];
  const found = await nexusEndpoints.prove(name, token ?? '');
  if (found === undefined) throw noEndpoint(name);
  if (!found.proven) throw noToken(found.endpoint, token);
  return found.endpoint;
}

/**
 * The account of a call, by the endpoint that it used and proved.
 * @throws Failure FORBIDDEN as `proveEndpoint` does, and without the scope `enhance`; ACCOUNT_SUSPENDED
 */
export async function findCaller(
  deps: FindCallerDeps,
  name: string,
  call: Pick<OperationContext, 'headers'>,
): Promise<{ caller: Caller; endpoint: NexusEndpoint }> {
  const endpoint = await proveEndpoint(deps, name, call);
  assertEndpointScope(endpoint, 'enhance');
  const caller = await readCaller(deps, name, endpoint.accountId);
  if (caller === undefined || caller.account.deletedAt !== null) throw noEndpoint(name);
  if (caller.account.suspendedAt !== null) throw new Failure('ACCOUNT_SUSPENDED');
  return { caller, endpoint };
}

/** @throws Failure FORBIDDEN with the field that needs the scope */
export function assertEndpointScope(
  { name, scopes }: Pick<NexusEndpoint, 'name' | 'scopes'>,
  scope: EndpointScope,
  field?: string,
): void {
  if (scopes.includes(scope)) return;
  const detail = `The endpoint ${name} lacks the scope ${scope}. Ask the operator for an endpoint with this scope.`;
  throw new Failure('FORBIDDEN', { detail, ...(field !== undefined && { field }) });
}

/** The caller of an earlier operation, whatever became of its account; undefined for an unknown account. */
export async function readCaller(
  { accounts }: Pick<FindCallerDeps, 'accounts'>,
  endpoint: string,
  accountId: string,
): Promise<Caller | undefined> {
  const [account, plan] = await Promise.all([accounts.get(accountId), accounts.getPlanOfAccount(accountId)]);
  if (account === undefined || plan === undefined) return undefined;
  return { account, plan, ...CALLER_POWERS, keyId: endpoint, viaEndpoint: true, address: null };
}

function noEndpoint(endpoint: string): Failure {
  const detail =
    endpoint === ''
      ? 'The Temporal server does not name the endpoint of the caller. Upgrade it to version 1.30 or later.'
      : `The endpoint ${endpoint} has no account here. Ask the operator to run: burnish endpoints create ${endpoint}`;
  return new Failure('FORBIDDEN', { detail });
}

function noToken({ name }: NexusEndpoint, given: string | undefined): Failure {
  const rotate = `burnish endpoints rotate ${name}`;
  const detail =
    given === undefined
      ? `The call lacks the operation header ${TOKEN_HEADER}. Send the token of the endpoint ${name} in it.`
      : `The operation header ${TOKEN_HEADER} has no valid token of the endpoint ${name}. Ask the operator for its token, or for a new one: ${rotate}`;
  return new Failure('FORBIDDEN', { detail });
}
