import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { isRunning } from '../../src/process/process-identity.ts';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporalBinary } from '../support/temporal-binary.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { testPort } from '../support/test-port.ts';
import { type Api, createApi } from './api.ts';
import { killAtOnce, processTree } from './processes.ts';
import { until } from '../support/until.ts';
import { setup } from '../../scripts/setup.mjs';
import { currentTestHasFailed } from '../support/running-test.ts';

// Processes run the build.
await setup({ quiet: true });

const STARTED: (Pick<Command, 'pid' | 'output'> & { name: string })[] = [];
/** Characters of an instance's output that a failed test shows. */
const SHOWN = 6_000;

afterEach(() => {
  if (!currentTestHasFailed()) return;
  for (const { name, output } of STARTED)
    console.error(`--- ${name} said:\n${withoutRequests(output()).slice(-SHOWN)}`);
});

/** Whatever a failed test left running. */
afterAll(() => killAtOnce(STARTED.flatMap(({ pid }) => processTree(pid))));

/** Lines about requests that went well would bury the rest. */
const withoutRequests = (text: string): string => text.replace(/^\{.*"status":2\d\d.*"msg":"request"\}\n/gm, '');

export interface Ports {
  gateway: number;
  temporal: number;
  temporalUi: number;
}

export async function freePorts(): Promise<Ports> {
  return { gateway: await testPort(), temporal: await testPort(), temporalUi: await testPort() };
}

export interface Command {
  child: ChildProcess;
  pid: number;
  /** All that it printed so far on either output */
  output(): string;
  stdout(): string;
  stderr(): string;
  /** Its exit code, once it has ended; -1 when a signal ended it */
  ended: Promise<number>;
}

/** Settings that make a process of ours find the `temporal` program without a download, and nothing of the developer's. */
export async function cleanEnvironment(more: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  const { PATH = '', HOME, TMPDIR } = process.env;
  const path = `${dirname(process.execPath)}:${PATH}`;
  const binary = await temporalBinary();
  // Tests of other parts enlarge pictures without a network, which saves their time.
  const own = { BURNISH_TEMPORAL_BINARY: binary, NODE_ENV: 'production', BURNISH_ENGINE_TIER: 'plain' };
  return { PATH: path, HOME, TMPDIR, ...own, ...more };
}

/**
 * Runs the built command as a child process.
 * @param via a program that runs it in turn, in its own place, such as `env`
 * @param entry the file in `dist`
 */
export function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd = repositoryRoot, via = [] as readonly string[], entry = 'cli.js' } = {},
): Command {
  const [program = '', ...words] = [...via, process.execPath, join(repositoryRoot, 'dist', entry), ...args];
  const child = spawn(program, words, {
    cwd,
    env,
    // A group of its own, so that Ctrl-C on the tests leaves the ending to the tests.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { all: '', stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      texts.all += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => (code as number | null) ?? -1);
  STARTED.push({ name: `burnish ${args.join(' ')} (${child.pid})`, pid: child.pid!, output: () => texts.all });
  return {
    child,
    pid: child.pid!,
    output: () => texts.all,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
  };
}

export interface Instance extends Command {
  url: string;
  dataDir: string;
  ports: Ports;
  api: Api;
  /** The default account's key, as printed at the first start or as given */
  apiKey: string;
  /** As printed at the first start; empty when it was not */
  webhookSecret: string;
  /** Ctrl-C, and its exit code */
  stop(): Promise<number>;
  /** `kill -9` of it and all that it started */
  killTree(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface InstanceOptions {
  /** Kept after the instance has ended; absent: a new folder that goes with it */
  dataDir?: string;
  ports?: Ports;
  /** Where it does not print one, at a second start */
  apiKey?: string;
  env?: NodeJS.ProcessEnv;
  args?: readonly string[];
  via?: readonly string[];
  /** Whether to wait for `/readyz`: a gateway alone is never ready */
  awaitReady?: boolean;
}

/** Starts `burnish up` as a process of its own, in a new folder with a database and on free ports, and returns once it is ready. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const { args = ['up'], awaitReady = true, via = [] } = options;
  const folder = options.dataDir === undefined ? await temporaryFolder() : undefined;
  const dataDir = options.dataDir ?? folder!.path;
  // Tests that name a folder see what a first start does to it.
  if (folder !== undefined) await copyMigratedDatabase(dataDir);
  const ports = options.ports ?? (await freePorts());
  const env = await cleanEnvironment({ ...portSettings(ports), BURNISH_DATA_DIR: dataDir, ...options.env });
  const command = runCommand(args, env, { via });
  const killTree = (): Promise<void> => killAtOnce(processTree(command.pid));
  const dispose = async (): Promise<void> => {
    await killTree();
    await folder?.[Symbol.asyncDispose]();
  };
  let hasEnded = false;
  void command.ended.then(() => (hasEnded = true));
  const url = `http://127.0.0.1:${ports.gateway}`;
  try {
    await until(async () => {
      if (hasEnded) throw new Error(`The instance ended instead of starting:\n${command.output()}`);
      if (!command.stdout().includes('Ctrl-C stops it.')) return undefined;
      return !awaitReady || (await fetch(`${url}/readyz`)).ok ? true : undefined;
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  const apiKey = /API key +(\S+)/.exec(command.stdout())?.[1] ?? options.apiKey ?? '';
  return {
    ...command,
    url,
    dataDir,
    ports,
    apiKey,
    api: createApi(url, apiKey),
    webhookSecret: /Webhooks +(\S+)/.exec(command.stdout())?.[1] ?? '',
    killTree,
    async stop() {
      const processes = processTree(command.pid);
      command.child.kill('SIGINT');
      const code = await command.ended;
      const left = processes.filter(isRunning);
      // The guard of the embedded server ends with it, a moment later.
      await until(() => (left.some(isRunning) ? undefined : true));
      return code;
    },
    [Symbol.asyncDispose]: dispose,
  };
}

export function portSettings({ gateway, temporal, temporalUi }: Ports): NodeJS.ProcessEnv {
  return {
    BURNISH_PORT: String(gateway),
    BURNISH_TEMPORAL_PORT: String(temporal),
    BURNISH_TEMPORAL_UI_PORT: String(temporalUi),
  };
}
