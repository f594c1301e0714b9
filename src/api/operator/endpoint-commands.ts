import { isGrpcServiceError, type ConnectionLike } from '@temporalio/client';
import {
  OPERATOR,
  type AuditActor,
  ENDPOINT_NAME,
  ENDPOINT_SCOPES,
  type EndpointScope,
  type NexusEndpoint,
  Failure,
  isId,
} from '@burnish/contract';
import { changeByOperator } from './change-by-operator.ts';
import { noAccount } from './account-commands.ts';
import { hasStatus } from '../../temporal/grpc-status.ts';
import { NEXUS_TASK_QUEUE } from '../../domain/temporal/operation-interface.ts';
import type { Accounts } from '../../database/accounts/accounts.ts';
import type { NexusEndpoints } from '../../database/accounts/nexus-endpoints.ts';
import type { AccountChanges } from '../../database/accounts/account-changes.ts';

export interface EndpointOrder extends Pick<NexusEndpoint, 'name' | 'accountId'> {
  /** Absent: `enhance` alone */
  scopes?: readonly EndpointScope[] | undefined;
}

export interface EndpointCommandsDeps {
  accounts: Accounts;
  nexusEndpoints: NexusEndpoints;
  accountChanges: AccountChanges;
  /** Absent without a Temporal server */
  temporal: TemporalRegistry | undefined;
}

/** The Temporal server of this instance, which has the registry of endpoints. */
export interface TemporalRegistry {
  namespace: string;
  connection: Pick<ConnectionLike, 'operatorService'>;
}

/** Commands of the operator about Nexus endpoints. @param by the actor of the audit entry */
export function createEndpointCommands({ accounts, nexusEndpoints, accountChanges, temporal }: EndpointCommandsDeps) {
  return {
    /**
     * Lets workflows with the token of the endpoint use an account, and creates the endpoint at the Temporal server. A
     * repetition changes nothing.
     * @returns `token`: of a new endpoint, shown only here; null for an existing one. `command`: a command for an administrator
     * of the server, if it refuses the endpoint; else null
     * @throws Failure BAD_USER_INPUT for another account or other scopes than before; NOT_FOUND for an unknown account
     */
    async createEndpoint(
      order: EndpointOrder,
      by: AuditActor = OPERATOR,
    ): Promise<{ endpoint: NexusEndpoint; token: string | null; command: string | null }> {
      assertOrder(order);
      const account = isId('acc', order.accountId) ? await accounts.get(order.accountId) : undefined;
      if (account === undefined || account.deletedAt !== null) throw noAccount(order.accountId);
      const { name, accountId } = order;
      const scopes = sortedScopes(order.scopes ?? ['enhance']);
      const made = await changeByOperator({ accountChanges }, by, async (records) => {
        const value = await records.nexusEndpoints.create({ name, accountId, scopes });
        const { endpoint, token } = value;
        if (endpoint.accountId !== accountId || endpoint.scopes.join() !== scopes.join()) throw taken(endpoint);
        if (token === null) return { accountId, value };
        return { accountId, action: 'endpoint.create', subjectId: name, details: { scopes }, value };
      });
      return { ...made, command: await register(temporal, name) };
    },

    /**
     * Replaces the token of an endpoint. The previous one remains valid for a week, and an earlier one no longer.
     * @param atOnce the previous token ends now @returns the token, shown only here @throws Failure NOT_FOUND
     */
    async rotateEndpointToken(
      name: string,
      atOnce: boolean,
      by: AuditActor = OPERATOR,
    ): Promise<{ endpoint: NexusEndpoint; token: string }> {
      return changeByOperator({ accountChanges }, by, async (records) => {
        const value = await records.nexusEndpoints.rotateToken(name, { atOnce });
        if (value === undefined) throw unknown(name);
        const { accountId } = value.endpoint;
        return { accountId, action: 'endpoint.rotate_token', subjectId: name, details: { atOnce }, value };
      });
    },

    /** Endpoints, by name. */
    listEndpoints: (): Promise<NexusEndpoint[]> => nexusEndpoints.list(),

    /**
     * Refuses further operations of the endpoint; accepted ones continue.
     * @returns `command` as above @throws Failure NOT_FOUND
     */
    async deleteEndpoint(name: string, by: AuditActor = OPERATOR): Promise<{ command: string | null }> {
      await changeByOperator({ accountChanges }, by, async (records) => {
        const endpoint = await records.nexusEndpoints.get(name);
        if (endpoint === undefined || !(await records.nexusEndpoints.delete(name))) throw unknown(name);
        return { accountId: endpoint.accountId, action: 'endpoint.delete', subjectId: name, value: null };
      });
      return { command: await unregister(temporal, name) };
    },
  };
}

function assertOrder({ name, scopes }: EndpointOrder): void {
  if (!ENDPOINT_NAME.test(name)) {
    const detail = 'The name of an endpoint has 2 to 200 letters, digits and hyphens. It starts with a letter.';
    throw new Failure('BAD_USER_INPUT', { field: 'name', detail });
  }
  if (scopes !== undefined && !scopes.includes('enhance')) {
    const detail = 'Every operation needs the scope enhance. Send enhance among the scopes.';
    throw new Failure('BAD_USER_INPUT', { field: 'scopes', detail });
  }
}

const sortedScopes = (scopes: readonly EndpointScope[]): EndpointScope[] =>
  ENDPOINT_SCOPES.filter((each) => scopes.includes(each));

function taken({ name, accountId, scopes }: NexusEndpoint): Failure {
  const detail = `The endpoint ${name} is for ${accountId} with the scopes ${scopes.join(', ')}. Delete it first, or choose another name.`;
  return new Failure('BAD_USER_INPUT', { field: 'name', detail });
}

function unknown(name: string): Failure {
  const detail = `No endpoint has the name ${name.slice(0, 200)}. Run: burnish endpoints list`;
  return new Failure('NOT_FOUND', { detail });
}

/** Creates the endpoint at the server. @returns the command that creates it, if the server refuses */
async function register(temporal: TemporalRegistry | undefined, name: string): Promise<string | null> {
  const namespace = temporal?.namespace ?? 'default';
  const command = `temporal operator nexus endpoint create --name ${name} --target-namespace ${namespace} --target-task-queue ${NEXUS_TASK_QUEUE}`;
  if (temporal === undefined) return command;
  const spec = { name, target: { worker: { namespace, taskQueue: NEXUS_TASK_QUEUE } } };
  try {
    await temporal.connection.operatorService.createNexusEndpoint({ spec });
    return null;
  } catch (error) {
    if (hasStatus(error, 'ALREADY_EXISTS') && (await leadsHere(temporal, name))) return null;
    return command;
  }
}

async function leadsHere({ namespace, connection }: TemporalRegistry, name: string): Promise<boolean> {
  const { endpoints } = await connection.operatorService.listNexusEndpoints({ name });
  return endpoints.some(({ spec }) => {
    const worker = spec?.target?.worker;
    return worker?.namespace === namespace && worker?.taskQueue === NEXUS_TASK_QUEUE;
  });
}

/** Deletes the endpoint at the server. @returns the command that deletes it, if the server refuses */
async function unregister(temporal: TemporalRegistry | undefined, name: string): Promise<string | null> {
  const command = `temporal operator nexus endpoint delete --name ${name}`;
  if (temporal === undefined) return command;
  const { operatorService } = temporal.connection;
  try {
    const [endpoint] = (await operatorService.listNexusEndpoints({ name })).endpoints;
    if (endpoint !== undefined)
      await operatorService.deleteNexusEndpoint({ id: endpoint.id ?? null, version: endpoint.version ?? null });
    return null;
  } catch (error) {
    if (isGrpcServiceError(error)) return command;
    throw error;
  }
}
