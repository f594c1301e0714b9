import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { testPort } from '../support/test-port.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startBalancer } from './balancer.ts';
import { nodeConfig, type NodePorts, SERVICES } from './temporal-node-config.ts';
import { temporalPrograms } from './temporal-programs.ts';

const execute = promisify(execFile);
const DEPLOY = join(repositoryRoot, 'deploy', 'temporal');
const NAMESPACE = 'default';
/** Time limit for each step of the start. A node joins its cluster within seconds, but a busy machine needs longer. */
const NODE_WITHIN_MS = 120_000;

/** One process of a Temporal cluster. */
export interface TemporalNode {
  name: string;
  pid(): number;
  running(): boolean;
  /** Starts the process, also again after its end */
  start(): Promise<void>;
  /** Ends the process with SIGTERM */
  stop(): Promise<void>;
  /** Ends the process with SIGKILL */
  kill(): Promise<void>;
}

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
      await writeFile(config, nodeConfig({ ports, postgres, dynamicConfig }));
      const node = createNode(name, programs.server, config, ports.grpc.frontend);
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

function createNode(name: string, program: string, config: string, frontendPort: number): TemporalNode {
  let child: ChildProcess | undefined;
  const logFile = `${config}.log`;
  const running = (): boolean => child?.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || !running()) return;
    const ended = once(child, 'exit');
    // After SIGSTOP, a process handles SIGTERM only after SIGCONT, but SIGKILL at once.
    child.kill(signal);
    await ended;
  };
  return {
    name,
    pid: () => child?.pid ?? 0,
    running,
    async start() {
      const log = openSync(logFile, 'a');
      const args = ['--config-file', config, '--allow-no-auth', 'start'];
      child = spawn(program, args, { stdio: ['ignore', log, log], detached: true });
      closeSync(log);
      await once(child, 'spawn');
      await untilHealthy(`127.0.0.1:${frontendPort}`, running, logFile, name);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function untilHealthy(address: string, running: () => boolean, logFile: string, name: string): Promise<void> {
  const giveUpAt = performance.now() + NODE_WITHIN_MS;
  while (!(await answers(address, (connection) => connection.healthService.check({})))) {
    if (!running() || performance.now() > giveUpAt) {
      const said = (await readFile(logFile, 'utf8')).slice(-2_000);
      throw new Error(`The ${name} of Temporal did not come up; it said:\n${said}`);
    }
    await delay(100);
  }
}

/** Frontends do not know a new namespace until they read the list of namespaces again, after seconds. */
async function untilNamespaceServed(address: string): Promise<void> {
  const giveUpAt = performance.now() + NODE_WITHIN_MS;
  const ask = (connection: Connection): Promise<unknown> =>
    connection.workflowService.listWorkflowExecutions({ namespace: NAMESPACE });
  // Four answers in a row: connections alternate between two frontends, and each frontend has its own list of namespaces.
  for (let inARow = 0; inARow < 4;) {
    inARow = (await answers(address, ask)) ? inARow + 1 : 0;
    if (performance.now() > giveUpAt) throw new Error('The Temporal cluster does not serve its namespace.');
    if (inARow === 0) await delay(250);
  }
}

async function answers(address: string, ask: (connection: Connection) => Promise<unknown>): Promise<boolean> {
  const connection = Connection.lazy({ address });
  try {
    await connection.withDeadline(Date.now() + 3_000, () => ask(connection));
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

async function nodePorts(): Promise<NodePorts> {
  const ports: Partial<NodePorts> = {};
  for (const kind of ['grpc', 'membership'] as const) {
    const entries: [string, number][] = [];
    for (const service of SERVICES) entries.push([service, await testPort()]);
    ports[kind] = Object.fromEntries(entries) as NodePorts['grpc'];
  }
  return ports as NodePorts;
}
