import { testPort } from '../support/test-port.ts';

/** The services of a Temporal node. Each has one port for calls and one for cluster membership. */
const SERVICES = ['frontend', 'internal-frontend', 'matching', 'history', 'worker'] as const;

export interface NodePorts {
  grpc: Record<(typeof SERVICES)[number], number>;
  membership: Record<(typeof SERVICES)[number], number>;
  /** Of the frontend, which other services call for Nexus operations */
  http: number;
}

export interface NodeConfig {
  ports: NodePorts;
  /** Settings of one of the two databases */
  store: (databaseName: string) => object;
  shards: number;
  dynamicConfig: string;
  /** TLS and authorization; without them, the node trusts every caller. The worker service then uses the internal frontend. */
  security?: { tls: object; authorization?: object };
}

/** Maximum connections of one service to each of its two databases; a node has four services. */
const CONNECTIONS = 5;

/** A database of PostgreSQL. @param server its address with a user */
export const postgresStore =
  (server: URL) =>
  (databaseName: string): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: server.host,
      connectProtocol: 'tcp',
      user: server.username,
      password: 'unused',
      maxConns: CONNECTIONS,
      maxIdleConns: CONNECTIONS,
      maxConnLifetime: '1h',
    },
  });

/** A new file of SQLite with its schema, for a cluster of one node. */
export const sqliteStore =
  (folder: string) =>
  (databaseName: string): object => ({
    sql: {
      pluginName: 'sqlite',
      databaseName: `${folder}/${databaseName}.sqlite`,
      connectAddr: 'localhost',
      connectProtocol: 'tcp',
      connectAttributes: { mode: 'rwc', setup: 'true' },
      maxConns: 1,
      maxIdleConns: 1,
    },
  });

/** Config of a node with its services on the loopback. It is JSON, because each JSON document is valid YAML. */
export function nodeConfig({ ports, store, shards, dynamicConfig, security }: NodeConfig): string {
  // A server calls an internal frontend if its config has one, also where it runs none.
  const own = SERVICES.filter((name) => security !== undefined || name !== 'internal-frontend');
  const nexus = security === undefined ? 'frontend' : 'internal-frontend';
  const rpcOf = (name: (typeof SERVICES)[number]) => ({
    grpcPort: ports.grpc[name],
    membershipPort: ports.membership[name],
    ...(name === nexus ? { httpPort: ports.http } : {}),
    bindOnLocalHost: true,
  });
  const services = own.map((name) => [name, { rpc: rpcOf(name) }]);
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: shards,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' }, ...security },
    services: Object.fromEntries(services) as object,
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports.grpc[security === undefined ? 'frontend' : 'internal-frontend']}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '10s' },
  });
}

export async function nodePorts(): Promise<NodePorts> {
  const ports: Partial<Pick<NodePorts, 'grpc' | 'membership'>> = {};
  for (const kind of ['grpc', 'membership'] as const) {
    const entries: [string, number][] = [];
    for (const service of SERVICES) entries.push([service, await testPort()]);
    ports[kind] = Object.fromEntries(entries) as NodePorts['grpc'];
  }
  return { ...(ports as NodePorts), http: await testPort() };
}
