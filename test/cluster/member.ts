import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { identifyProcess, isRunning } from '../../src/process/process-identity.ts';
import { killAtOnce, processTree } from '../e2e/processes.ts';
import { until } from '../e2e/until.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** One process of a cluster, on what might as well be a machine of its own: it shares no folder with the others. */
export interface Member {
  name: string;
  pid: number;
  /** All that it printed so far */
  output(): string;
  /** Whether it still runs */
  running(): boolean;
  /** Asks it to end, as an orchestrator does, and gives its exit code */
  stop(): Promise<number>;
  /** `kill -9` of it and all that it started */
  kill(): Promise<void>;
  /** Resident memory now, bytes */
  memory(): number;
}

export interface MemberOptions {
  name: string;
  /** Words after `burnish` */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Processor core to stay on; undefined: any */
  core?: number | undefined;
}

/** Starts a process of the built command, and returns once it says that it is up. */
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
    // A group of its own, so that Ctrl-C on whoever started us leaves the ending to us.
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

/** proc_pid_status(5) */
function residentMemory(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? Number.NaN) * 1024;
}
