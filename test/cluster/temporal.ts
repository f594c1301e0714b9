import { startTestTemporal } from '../support/test-temporal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startTemporalNodes, type TemporalNode } from './temporal-nodes.ts';

/** `server`: the development server; `nodes`: two nodes of a real cluster; `given`: the server at TEMPORAL_ADDRESS. */
export type TemporalKind = 'server' | 'nodes' | 'given';

/** The Temporal server of a cluster of Burnish. */
export interface ClusterTemporal {
  address: string;
  uiUrl: string | undefined;
  /** Settings for every process of Burnish */
  env: NodeJS.ProcessEnv;
  /** Processes of the Temporal cluster; empty unless the kind is `nodes` */
  nodes: TemporalNode[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ClusterTemporalOptions {
  kind: TemporalKind | undefined;
  ui: boolean;
  /** Address of the PostgreSQL server for the databases of a real Temporal cluster */
  postgresUrl: string;
  report: (sentence: string) => void;
}

/** Kind of Temporal server that the environment selects. */
export function temporalKind(env: NodeJS.ProcessEnv = process.env): TemporalKind {
  if (env['TEST_TEMPORAL_CLUSTER'] !== undefined) return 'nodes';
  return env['TEMPORAL_ADDRESS'] === undefined ? 'server' : 'given';
}

export async function startClusterTemporal(options: ClusterTemporalOptions): Promise<ClusterTemporal> {
  const { kind = temporalKind(), report } = options;
  if (kind === 'given') return givenTemporal(process.env);
  const started = kind === 'nodes' ? await startNodes(options) : await startServer(options);
  report(kind === 'nodes' ? 'Two nodes of Temporal are up.' : 'Temporal is up.');
  return started;
}

/** An existing server. The processes receive all settings with the prefix TEMPORAL_, because the SDK reads them. */
function givenTemporal(env: NodeJS.ProcessEnv): ClusterTemporal {
  const settings = Object.entries(env).filter(([name]) => name.startsWith('TEMPORAL_'));
  return {
    address: env['TEMPORAL_ADDRESS']!,
    uiUrl: undefined,
    env: Object.fromEntries(settings),
    nodes: [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function startNodes({ postgresUrl }: ClusterTemporalOptions): Promise<ClusterTemporal> {
  const cluster = await startTemporalNodes(postgresUrl);
  return { ...cluster, uiUrl: undefined, env: { TEMPORAL_ADDRESS: cluster.address } };
}

async function startServer({ ui }: ClusterTemporalOptions): Promise<ClusterTemporal> {
  const folder = await temporaryFolder();
  const server = await startTestTemporal(folder.path, { uiPort: ui ? 0 : undefined });
  return {
    address: server.address,
    uiUrl: server.uiUrl,
    env: { TEMPORAL_ADDRESS: server.address },
    nodes: [],
    async [Symbol.asyncDispose]() {
      await server.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
