import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startTestTemporal } from '../support/test-temporal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { TemporalNode } from './temporal-node.ts';
import { startTemporalNodes } from './temporal-nodes.ts';

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
  /** Copies the database, and returns what puts the copy back, with short pauses of the server. Only of the kind `server` */
  copy?: () => Promise<() => Promise<void>>;
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
  const [data, older] = [join(folder.path, 'data'), join(folder.path, 'older')];
  await mkdir(data);
  let server = await startTestTemporal(data, { uiPort: ui ? 0 : undefined });
  const { address, uiUrl } = server;
  const port = Number(address.split(':').at(-1));
  const replace = async (from: string, to: string): Promise<void> => {
    await server.stop();
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
    server = await startTestTemporal(data, { port });
  };
  return {
    address,
    uiUrl,
    env: { TEMPORAL_ADDRESS: address },
    nodes: [],
    async copy() {
      await replace(data, older);
      return () => replace(older, data);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}
