import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { told } from '../burst/flood.ts';

/** Priority of neighbours, who have machines of their own in life. The calm caller's times must be those of the instance. */
const NEIGHBOUR_NICE = 19;

/** A caller in a process of its own. */
export interface Program {
  /** Tells it to end. @returns what it reports */
  end(): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a script of this folder, and returns once it is ready.
 * @param input its first message
 */
export async function startProgram(name: string, input: object): Promise<Program> {
  const child = fork(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
    // A session of its own, since the kernel may share processor time among sessions first.
    detached: true,
  });
  if (name !== 'calm') yieldProcessor(child.pid!);
  const ready = told(child);
  child.send(input);
  await ready;
  return {
    async end() {
      const report = told(child);
      child.send('end');
      return await report;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function yieldProcessor(pid: number): void {
  setPriority(pid, NEIGHBOUR_NICE);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(NEIGHBOUR_NICE));
  } catch {
    // This kernel has no such groups.
  }
}

/** In the script: its input. It ends with the drill. */
export async function readInput<Input>(): Promise<Input> {
  process.once('disconnect', () => process.exit());
  return ((await once(process, 'message')) as [Input])[0];
}

/** In the script: runs until it is told to end, and sends the report. */
export async function runUntilEnd(run: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  const ending = new AbortController();
  process.once('message', () => ending.abort());
  process.send!('ready');
  const report = await run(ending.signal);
  // Connections that nobody answers would keep the process.
  process.send!(report, () => process.exit());
}
