import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection, type ConnectionOptions } from '@temporalio/client';

/** Time limit for each step of the start. A node joins its cluster within seconds, but a busy machine needs longer. */
export const NODE_WITHIN_MS = 120_000;

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

interface TemporalNodeOptions {
  name: string;
  program: string;
  /** Path of the configuration; the log is beside it */
  config: string;
  /** The frontend of the node */
  server: ConnectionOptions;
  /** Words after `start`; default: all services but the internal frontend */
  args?: readonly string[];
}

export function createTemporalNode({ name, program, config, server, args = [] }: TemporalNodeOptions): TemporalNode {
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
      child = spawn(program, ['--config-file', config, '--allow-no-auth', 'start', ...args], {
        stdio: ['ignore', log, log],
        detached: true,
      });
      closeSync(log);
      await once(child, 'spawn');
      await untilHealthy(server, running, logFile, name);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

async function untilHealthy(
  server: ConnectionOptions,
  running: () => boolean,
  logFile: string,
  name: string,
): Promise<void> {
  const giveUpAt = performance.now() + NODE_WITHIN_MS;
  while (!(await answers(server, (connection) => connection.healthService.check({})))) {
    if (!running() || performance.now() > giveUpAt) {
      const said = (await readFile(logFile, 'utf8')).slice(-2_000);
      throw new Error(`The ${name} of Temporal did not come up; it said:\n${said}`);
    }
    await delay(100);
  }
}

/** Whether a server answers a call within three seconds. */
export async function answers(
  server: ConnectionOptions,
  ask: (connection: Connection) => Promise<unknown>,
): Promise<boolean> {
  const connection = Connection.lazy(server);
  try {
    await connection.withDeadline(Date.now() + 3_000, () => ask(connection));
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
