import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../src/temporal/port.ts';
import { type Api, createApi } from '../../test/e2e/api.ts';
import { repositoryRoot } from '../../test/support/repository.ts';
import { temporalBinary } from '../../test/support/temporal-binary.ts';

export interface BenchInstance {
  url: string;
  api: Api;
  apiKey: string;
  temporalAddress: string;
  pid: number;
  /** Milliseconds from the start of the command to the first 200 of `/readyz` */
  readyAfterMs: number;
  stop(): Promise<void>;
}

export interface BenchInstanceOptions {
  dataDir: string;
  /** Program and arguments; default: the built command */
  command?: readonly string[];
  env?: NodeJS.ProcessEnv;
}

const READY_WITHIN_MS = 120_000;
const API_KEY = `bench-${randomBytes(16).toString('hex')}`;

/** Starts all of Burnish in one process, on free ports, and returns once it is ready. */
export async function startInstance({ dataDir, command, env }: BenchInstanceOptions): Promise<BenchInstance> {
  const [gateway, temporal, ui] = [await freePort(), await freePort(), await freePort()];
  const [program = '', ...words] = command ?? [process.execPath, join(repositoryRoot, 'dist', 'cli.js'), 'up'];
  // Provides the program, so that no start downloads it.
  const binary = await temporalBinary();
  const begun = performance.now();
  const child = spawn(program, words, {
    cwd: repositoryRoot,
    // A separate process group, because npm forwards a signal to one process only.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BURNISH_TEMPORAL_BINARY: binary,
      NODE_ENV: 'production',
      BURNISH_DATA_DIR: dataDir,
      BURNISH_ENGINE_TIER: 'plain',
      BURNISH_PORT: String(gateway),
      BURNISH_TEMPORAL_PORT: String(temporal),
      BURNISH_TEMPORAL_UI_PORT: String(ui),
      BURNISH_BOOTSTRAP_API_KEY: API_KEY,
      BURNISH_CREDITS_PER_PERIOD: '1000000',
      BURNISH_LOG_LEVEL: 'error',
      ...env,
    },
  });
  const url = `http://127.0.0.1:${gateway}`;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`The instance ended with code ${child.exitCode}.`);
    if (performance.now() - begun > READY_WITHIN_MS) {
      await end(child);
      throw new Error('The instance did not become ready.');
    }
    await delay(25);
  }
  return {
    url,
    api: createApi(url, API_KEY),
    apiKey: API_KEY,
    temporalAddress: `127.0.0.1:${temporal}`,
    pid: child.pid!,
    readyAfterMs: performance.now() - begun,
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-child.pid!, 'SIGINT');
  await ended;
}
