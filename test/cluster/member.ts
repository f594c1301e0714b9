import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setup } from '../../scripts/setup.mjs';
import { identifyProcess, isRunning } from '../../src/process/process-identity.ts';
import { killAtOnce, processTree } from '../e2e/processes.ts';
import { until } from '../support/until.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Processes run the build.
await setup({ quiet: true });

/** One process of a cluster. It shares no folder with the others, as if it ran on its own machine. */
export interface Member {
  name: string;
  pid: number;
  /** Output so far, at most the last 200,000 characters */
  output(): string;
  /** Whether the process runs */
  running(): boolean;
  /** Sends SIGTERM like an orchestrator, waits for the end of the process, and returns its exit code */
  stop(): Promise<number>;
  /** Kills the process and its descendants with SIGKILL */
  kill(): Promise<void>;
  /** Current resident memory, bytes */
  memory(): number;
}

export interface MemberOptions {
  name: string;
  /** Arguments after `burnish` */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Processor core of the process; undefined: any core */
  core?: number | undefined;
}

/** Starts the built command in a process, and returns after the process reports its start. */
export async function startMember({ name, args, env, core }: MemberOptions): Promise<Member> {
  const folder = await temporaryFolder();
  const command = [process.execPath, join(repositoryRoot, 'dist', 'cli.js'), ...args];
  const [program = '', ...words] = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const { PATH = '', HOME, TMPDIR } = process.env;
  const child = spawn(program, words, {
    cwd: folder.path,
    env: {
      PATH: `${dirname(process.execPath)}:${PATH}`,
      HOME,
      TMPDIR,
      NODE_ENV: 'production',
      BURNISH_DATA_DIR: folder.path,
      ...env,
    },
    // The process has its own group, so that Ctrl-C in the terminal does not end it. The parent process ends it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-200_000)));
  }
  const ended = once(child, 'close').then(async ([code]) => {
    await folder[Symbol.asyncDispose]();
    return (code as number | null) ?? -1;
  });
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  await until(() => {
    if (!running()) throw new Error(`${name} ended instead of starting:\n${text}`);
    return text.includes('Ctrl-C stops it.') ? true : undefined;
  });
  return {
    name,
    pid: child.pid!,
    output: () => text,
    running,
    memory: () => residentMemory(child.pid!),
    async stop() {
      const processes = processTree(child.pid!);
      child.kill('SIGTERM');
      const code = await ended;
      await until(() => (processes.some(isRunning) ? undefined : true));
      return code;
    },
    async kill() {
      if (identifyProcess(child.pid!) !== undefined) await killAtOnce(processTree(child.pid!));
      await ended;
    },
  };
}

/** Reads VmRSS, see proc_pid_status(5). @returns bytes */
function residentMemory(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? Number.NaN) * 1024;
}
