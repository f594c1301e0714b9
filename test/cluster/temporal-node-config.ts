/** The four services of a Temporal node. Each has one port for calls and one for cluster membership. */
export const SERVICES = ['frontend', 'matching', 'history', 'worker'] as const;

export interface NodePorts {
  grpc: Record<(typeof SERVICES)[number], number>;
  membership: Record<(typeof SERVICES)[number], number>;
}

export interface NodeConfig {
  ports: NodePorts;
  /** Address of PostgreSQL */
  postgres: URL;
  dynamicConfig: string;
}

/** Maximum connections of one service to each of its two databases; a node has four services. */
const CONNECTIONS = 5;

/** Config of a node with all services on the loopback. It is JSON, because each JSON document is valid YAML. */
export function nodeConfig({ ports, postgres, dynamicConfig }: NodeConfig): string {
  const store = (databaseName: string): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: postgres.host,
      connectProtocol: 'tcp',
      user: postgres.username,
      password: 'unused',
      maxConns: CONNECTIONS,
      maxIdleConns: CONNECTIONS,
      maxConnLifetime: '1h',
    },
  });
  const services = SERVICES.map((name) => [
    name,
    { rpc: { grpcPort: ports.grpc[name], membershipPort: ports.membership[name], bindOnLocalHost: true } },
  ]);
  return JSON.stringify({
    log: { stdout: true, level: 'warn' },
    persistence: {
      numHistoryShards: 4,
      defaultStore: 'default',
      visibilityStore: 'visibility',
      datastores: { default: store('temporal'), visibility: store('temporal_visibility') },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
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
          rpcAddress: `127.0.0.1:${ports.grpc.frontend}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '10s' },
  });
}
