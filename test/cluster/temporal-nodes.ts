import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Connection } from '@temporalio/client';
import { testPort } from '../support/test-port.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startBalancer } from './balancer.ts';
import { answers, createTemporalNode, NODE_WITHIN_MS, type TemporalNode } from './temporal-node.ts';
import { nodeConfig, nodePorts, postgresStore } from './temporal-node-config.ts';
import { temporalPrograms } from './temporal-programs.ts';

const execute = promisify(execFile);
const DEPLOY = join(repositoryRoot, 'deploy', 'temporal');
const NAMESPACE = 'default';

/** A Temporal server of two processes that share a database, behind a balancer. */
export interface TemporalNodes {
  /** Address of the balancer, which passes connections to the frontends in turn */
  address: string;
  nodes: TemporalNode[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a Temporal cluster of two nodes, each with all four services. The scripts for schema and namespace and the dynamic
 * config are the same as in docker-compose.yml.
 * @param postgresUrl address of the server that gets the databases `temporal` and `temporal_visibility`
 */
export async function startTemporalNodes(postgresUrl: string): Promise<TemporalNodes> {
  const postgres = new URL(postgresUrl);
  const programs = await temporalPrograms();
  const folder = await temporaryFolder();
  const balancer = await startBalancer(await testPort());
  const address = `127.0.0.1:${balancer.port}`;
  const nodes: TemporalNode[] = [];
  const dispose = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  try {
    const script = (name: string, env: NodeJS.ProcessEnv): Promise<unknown> =>
      execute('sh', [join(DEPLOY, name)], { env, timeout: NODE_WITHIN_MS });
    const { PATH = '' } = process.env;
    await script('schema.sh', {
      PATH: `${programs.folder}:${PATH}`,
      TEMPORAL_SCHEMA: programs.schema,
      SQL_PLUGIN: 'postgres12',
      SQL_HOST: postgres.hostname,
      SQL_PORT: postgres.port,
      SQL_USER: postgres.username,
      SQL_PASSWORD: 'unused',
    });
    for (const name of ['first node', 'second node']) {
      const ports = await nodePorts();
      const config = join(folder.path, `${name.replace(' ', '-')}.yaml`);
      const dynamicConfig = join(DEPLOY, 'dynamic-config.yaml');
      await writeFile(config, nodeConfig({ ports, store: postgresStore(postgres), shards: 4, dynamicConfig }));
      const node = createTemporalNode({
        name,
        program: programs.server,
        config,
        server: { address: `127.0.0.1:${ports.grpc.frontend}` },
      });
      nodes.push(node);
      await node.start();
      balancer.targets.push(ports.grpc.frontend);
    }
    const env = { PATH: `${dirname(await temporalBinary())}:${PATH}`, HOME: folder.path };
    await script('namespace.sh', { ...env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: NAMESPACE });
    await untilNamespaceServed(address);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { address, nodes, [Symbol.asyncDispose]: dispose };
}

/** Frontends do not know a new namespace until they read the list of namespaces again, after seconds. */
async function untilNamespaceServed(address: string): Promise<void> {
  const giveUpAt = performance.now() + NODE_WITHIN_MS;
  const ask = (connection: Connection): Promise<unknown> =>
    connection.workflowService.listWorkflowExecutions({ namespace: NAMESPACE });
  // Four answers in a row: connections alternate between two frontends, and each frontend has its own list of namespaces.
  for (let inARow = 0; inARow < 4;) {
    inARow = (await answers({ address }, ask)) ? inARow + 1 : 0;
    if (performance.now() > giveUpAt) throw new Error('The Temporal cluster does not serve its namespace.');
    if (inARow === 0) await delay(250);
  }
}
