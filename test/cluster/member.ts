import { dirname } from 'node:path';
import { killAtOnce, processTree } from '../e2e/processes.ts';
import { runCommand, stopCommand, untilStarted, type Command } from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** One process of a cluster. It shares no folder with the others, as if it ran on its own machine. */
export interface Member extends Pick<Command, 'pid' | 'output' | 'running'> {
  name: string;
  /** Settles when the process has ended */
  ended: Promise<unknown>;
  /** Sends SIGTERM like an orchestrator, waits for the end of the process, and returns its exit code */
  stop(): Promise<number>;
  /** Kills the process and its descendants with SIGKILL */
  kill(): Promise<void>;
}

export interface MemberOptions {
  name: string;
  /** Arguments after `burnish` */
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Processor core of the process; undefined: any core */
  core?: number | undefined;
  /** Program and first arguments of another build; default: the build of this checkout */
  program?: readonly string[] | undefined;
}

/** Starts the built command in a process, and returns after the process reports its start. */
export async function startMember({ name, args, env, core, program }: MemberOptions): Promise<Member> {
  const folder = await temporaryFolder();
  const { PATH = '', HOME, TMPDIR } = process.env;
  const own = {
    PATH: `${dirname(process.execPath)}:${PATH}`,
    HOME,
    TMPDIR,
    NODE_ENV: 'production',
    BURNISH_DATA_DIR: folder.path,
  };
  const via = core === undefined ? [] : ['taskset', '-c', String(core)];
  const command = runCommand(args, { ...own, ...env }, { cwd: folder.path, via, ...(program && { program }) });
  const ended = command.ended.finally(() => folder[Symbol.asyncDispose]());
  await untilStarted(command);
  return {
    name,
    pid: command.pid,
    output: command.output,
    running: command.running,
    ended,
    stop: () => stopCommand(command, 'SIGTERM'),
    async kill() {
      await killAtOnce(processTree(command.pid));
      await ended;
    },
  };
}
