import { chown, constants, copyFile, link, mkdtemp, realpath } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deathError, invalidOutput, notStarted, oomKills } from '../child/child-errors.ts';
import { endProcess } from '../child/end-process.ts';
import { removeFolder } from '../child/remove-folder.ts';
import type { Command } from '../isolation/isolation.ts';
import type { Jail } from '../isolation/jail.ts';
import { DEFAULT_STALLED_MS, defaultWallMs } from '../limits.ts';
import { lowerSessionPriority } from '../watch/session-priority.ts';
import { watchTime, watchMemory } from '../watch/watch.ts';

/** One run of a program of the system on an untrusted file. */
export interface ProgramRun {
  jail: Jail;
  /** Makes the command for the path at which the program finds the file. @param inputPath absent without an input */
  command: (inputPath: string) => Command;
  /** The file that the program reads; absent: none */
  inputPath?: string;
  env: Record<string, string>;
  /** All other files and folders that it reads: itself, its libraries, its data */
  readable: readonly string[];
  memoryLimitBytes: number;
  /** Maximum CPU time, milliseconds */
  cpuMs: number;
  /** Maximum bytes that it prints */
  mostOutputBytes: number;
  signal?: AbortSignal | undefined;
  /** Folder for the file while it runs. On the disk of the input, the file is linked instead of copied */
  scratchDir?: string;
}

/** Characters of error output that are kept for the cause of a failure. */
const STDERR_TAIL = 4_000;

/**
 * Runs a program in a jail, with bounds of CPU time, memory, threads and output. It gets no network, no other process and no other
 * file than those that it is given.
 * @returns what it has printed
 * @throws JailError CRASHED for an exit code other than 0, OUT_OF_TIME, OUT_OF_MEMORY, TOO_MANY_THREADS, INVALID_OUTPUT for too much
 * output, KILLED, STARVED, NOT_STARTED; the reason of the signal
 */
export async function runProgram(run: ProgramRun): Promise<Buffer> {
  run.signal?.throwIfAborted();
  const folder = await mkdtemp(join(run.scratchDir ?? tmpdir(), 'program-'));
  try {
    return await runIn(folder, run);
  } finally {
    await removeFolder(folder);
  }
}

async function runIn(folder: string, run: ProgramRun): Promise<Buffer> {
  const { jail, command, env, readable, memoryLimitBytes, cpuMs, mostOutputBytes, signal } = run;
  const shared = jail.createSharedFolders(folder);
  const input = join(shared.inbox, 'input');
  if (run.inputPath !== undefined) await passFile(run.inputPath, input, shared.uid);
  const before = oomKills();
  const process = jail.startProgram({
    command: command(input),
    env,
    mounts: { readOnly: readable, ...shared },
    folder,
    memoryLimitBytes,
  });
  const gone = new Promise<void>((resolve) => {
    process.once('close', () => resolve());
    process.once('error', () => resolve());
  });
  const printed: Buffer[] = [];
  let [bytes, stderrTail] = [0, ''];
  let end = (reason: unknown): void => void reason;
  process.stderr?.on('data', (chunk: Buffer) => (stderrTail = (stderrTail + chunk.toString()).slice(-STDERR_TAIL)));
  process.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= mostOutputBytes) printed.push(chunk);
    else end(invalidOutput(new RangeError('The program prints too much.')));
  });
  let stop = (): void => undefined;
  try {
    await once(process, 'spawn');
    const { pid } = process;
    void lowerSessionPriority(pid!);
    await new Promise<void>((resolve, reject) => {
      end = (reason) => reject(reason instanceof Error ? reason : new Error('Aborted.', { cause: reason }));
      const limits = { cpuMs, stalledMs: DEFAULT_STALLED_MS, wallMs: defaultWallMs(cpuMs) };
      const unwatchTime = watchTime(pid!, limits, end);
      const unwatchMemory = watchMemory(pid!, memoryLimitBytes, end);
      const onAbort = (): void => end(signal?.reason);
      stop = () => {
        unwatchTime();
        unwatchMemory();
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) onAbort();
      process.once('close', (code: number | null, by: NodeJS.Signals | null) => {
        if (code === 0) resolve();
        else reject(deathError({ code, by, stderrTail, oomKillsBefore: before }));
      });
    });
    return Buffer.concat(printed);
  } catch (error) {
    if (process.pid === undefined) throw notStarted(error, before);
    if (process.exitCode === null && process.signalCode === null) await endProcess(process, jail, gone);
    throw error;
  } finally {
    stop();
    process.stdout?.destroy();
    process.stderr?.destroy();
  }
}

async function passFile(path: string, to: string, uid: number | undefined): Promise<void> {
  const copy = (): Promise<void> => copyFile(path, to, constants.COPYFILE_FICLONE);
  if (uid === undefined) await link(await realpath(path), to).catch(copy);
  else {
    await copy();
    await chown(to, uid, uid);
  }
}
