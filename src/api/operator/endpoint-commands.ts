import { isGrpcServiceError, type ConnectionLike } from '@temporalio/client';
import type { Stores } from '../../database/stores.ts';
import { OPERATOR, type AuditActor } from '../../domain/accounts/audit.ts';
import {
  ENDPOINT_NAME,
  ENDPOINT_SCOPES,
  type EndpointScope,
  type NexusEndpoint,
} from '../../domain/accounts/nexus-endpoint.ts';
import { Failure } from '../../domain/failures.ts';
import { isId } from '../../domain/ids.ts';
import { noAccount } from './account-commands.ts';
import { hasStatus } from '../../temporal/grpc-status.ts';
import { NEXUS_TASK_QUEUE } from '../../domain/temporal/operation-interface.ts';

export interface EndpointOrder extends Pick<NexusEndpoint, 'name' | 'accountId'> {
  /** Absent: `enhance` alone */
  scopes?: readonly EndpointScope[] | undefined;
}

export interface EndpointCommandsDeps {
  accounts: Pick<Stores['accounts'], 'get'>;
  nexusEndpoints: Stores['nexusEndpoints'];
  audit: Pick<Stores['audit'], 'record'>;
  /** Absent without a Temporal server */
  temporal: TemporalRegistry | undefined;
}

/** The Temporal server of this instance, which has the registry of endpoints. */
export interface TemporalRegistry {
  namespace: string;
  connection: Pick<ConnectionLike, 'operatorService'>;
}

export function createEndpointCommands({ accounts, nexusEndpoints, audit, temporal }: EndpointCommandsDeps) {
  const commands = {
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
      const { endpoint, token } = await nexusEndpoints.create({ name, accountId, scopes });
      if (endpoint.accountId !== accountId || endpoint.scopes.join() !== scopes.join()) throw taken(endpoint);
      const entry = { accountId, action: 'endpoint.create', subjectId: name, details: { scopes } } as const;
      if (token !== null) await audit.record({ ...by, ...entry });
      return { endpoint, token, command: await register(temporal, name) };
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
      const rotated = await nexusEndpoints.rotateToken(name, { atOnce });
      if (rotated === undefined) throw unknown(name);
      const { accountId } = rotated.endpoint;
      await audit.record({ ...by, accountId, action: 'endpoint.rotate_token', subjectId: name, details: { atOnce } });
      return rotated;
    },

    /** Endpoints, by name. */
    listEndpoints: (): Promise<NexusEndpoint[]> => nexusEndpoints.list(),

    /**
     * Refuses further operations of the endpoint; accepted ones continue.
     * @returns `command` as above @throws Failure NOT_FOUND
     */
    async deleteEndpoint(name: string, by: AuditActor = OPERATOR): Promise<{ command: string | null }> {
      const endpoint = await nexusEndpoints.get(name);
      if (endpoint === undefined || !(await nexusEndpoints.delete(name))) throw unknown(name);
      await audit.record({ ...by, accountId: endpoint.accountId, action: 'endpoint.delete', subjectId: name });
      return { command: await unregister(temporal, name) };
    },
  };
  return commands;
}

/** Commands of the operator about Nexus endpoints. @param by the actor of the audit entry */
export type EndpointCommands = ReturnType<typeof createEndpointCommands>;

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
