import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { isRunning } from '../../src/process/process-identity.ts';
import { copyMigratedDatabase } from './migrated-database.ts';
import { repositoryRoot } from './repository.ts';
import { guard } from './spawn-guarded.ts';
import { temporalBinary } from './temporal-binary.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { testPort } from './test-port.ts';
import { type Api, createApi } from '../e2e/api.ts';
import { killAtOnce, processTree } from '../e2e/processes.ts';
import { until } from './until.ts';
import { setup } from '../../scripts/setup.mjs';

// Processes run the build.
await setup({ quiet: true });

/** The commands of this test file, for the hooks of `test/e2e/instance.ts`. A shared one outlives the file. */
export const STARTED: (Pick<Command, 'pid' | 'output'> & { name: string; shared?: boolean })[] = [];

const BUILT_COMMAND: readonly string[] = [process.execPath, join(repositoryRoot, 'scripts', 'burnish.cjs')];
/** Characters of an output that are kept */
const KEPT = 1_000_000;

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
  running(): boolean;
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
 * @param program program and first arguments, in place of the built command
 * @param shared whether it outlives the test file; it does not keep this process alive
 */
export function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd = repositoryRoot, via = [] as readonly string[], program = BUILT_COMMAND, shared = false } = {},
): Command {
  const [first = '', ...words] = [...via, ...program, ...args];
  const child = spawn(first, words, {
    cwd,
    env,
    // A group of its own, so that Ctrl-C on the tests leaves the ending to the tests.
    detached: true,
    // The guard of a shared one waits for the end of its standard input.
    stdio: [shared ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  if (shared) for (const each of [child, ...child.stdio]) (each as ChildProcess | null)?.unref();
  const texts = { all: '', stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      texts[name] = (texts[name] + text).slice(-KEPT);
      texts.all = (texts.all + text).slice(-KEPT);
    });
  }
  const ended = once(child, 'close').then(([code]) => (code as number | null) ?? -1);
  STARTED.push({ name: `burnish ${args.join(' ')} (${child.pid})`, pid: child.pid!, output: () => texts.all, shared });
  return {
    child,
    pid: child.pid!,
    running: () => child.exitCode === null && child.signalCode === null,
    output: () => texts.all,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    ended,
  };
}

/** Waits until the command reports its start. @throws Error with its output when it ends instead */
export async function untilStarted(command: Command): Promise<void> {
  await until(() => {
    if (!command.running()) throw new Error(`The command ended instead of starting:\n${command.output()}`);
    return command.stdout().includes('Ctrl-C stops it.') ? true : undefined;
  });
}

/** Stops the command as an orchestrator or Ctrl-C does, and waits for the end of all its processes. @returns its exit code */
export async function stopCommand({ child, pid, ended }: Command, signal: 'SIGINT' | 'SIGTERM'): Promise<number> {
  const processes = processTree(pid);
  child.kill(signal);
  const code = await ended;
  // The guard of the embedded server ends with it, a moment later.
  await until(() => (processes.some(isRunning) ? undefined : true));
  return code;
}

export interface Instance extends Command {
  /** Milliseconds from the start of the command to the first 200 of `/readyz` */
  readyAfterMs: number;
  url: string;
  dataDir: string;
  ports: Ports;
  temporalAddress: string;
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
  program?: readonly string[];
  /** Whether to wait for `/readyz`: a gateway alone is never ready */
  awaitReady?: boolean;
  /** Whether it and its folder go with this process, not with the test file */
  shared?: boolean;
}

/** Starts `burnish up` as a process of its own, in a new folder with a database and on free ports, and returns once it is ready. */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const { args = ['up'], awaitReady = true, program, shared = false } = options;
  const folder = options.dataDir === undefined ? await temporaryFolder() : undefined;
  const dataDir = options.dataDir ?? folder!.path;
  // Tests that name a folder see what a first start does to it.
  if (folder !== undefined) await copyMigratedDatabase(dataDir);
  const ports = options.ports ?? (await freePorts());
  const env = await cleanEnvironment({ ...portSettings(ports), BURNISH_DATA_DIR: dataDir, ...options.env });
  const via = shared ? guard(dataDir) : options.via;
  const begun = performance.now();
  const command = runCommand(args, env, { shared, ...(via && { via }), ...(program && { program }) });
  const killTree = (): Promise<void> => killAtOnce(processTree(command.pid));
  const dispose = async (): Promise<void> => {
    await killTree();
    await folder?.[Symbol.asyncDispose]();
  };
  const url = `http://127.0.0.1:${ports.gateway}`;
  try {
    await untilStarted(command);
    if (awaitReady) await until(async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined));
  } catch (error) {
    await dispose();
    throw error;
  }
  const apiKey = /API key +(\S+)/.exec(command.stdout())?.[1] ?? options.apiKey ?? '';
  return {
    ...command,
    readyAfterMs: performance.now() - begun,
    url,
    dataDir,
    ports,
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    apiKey,
    api: createApi(url, apiKey),
    webhookSecret: /Webhooks +(\S+)/.exec(command.stdout())?.[1] ?? '',
    killTree,
    stop: () => stopCommand(command, 'SIGINT'),
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
