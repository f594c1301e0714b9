import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { JailError } from '../jail-error.ts';

/** The machine starts no process, or cannot reach the one that it started: no task is at fault. */
export function notStarted(cause: unknown, oomKillsBefore: number): JailError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const lacksMemory = code === 'ENOMEM' || code === 'EAGAIN' || oomKills() > oomKillsBefore;
  return new JailError('NOT_STARTED', { lacksMemory, cause });
}

/** Signals of a process's own faults (signal(7)), and of a call that its filter forbids. All others come from outside. */
const OWN_FAULTS = ['SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGBUS', 'SIGFPE', 'SIGTRAP', 'SIGSYS', 'SIGXFSZ', 'SIGPIPE'];

export interface ChildExit {
  code: number | null;
  by: NodeJS.Signals | null;
  stderrTail: string;
  oomKillsBefore: number;
}

/** The cause of a dead child: a signal from outside, a lack of memory that V8 or malloc detected, or a defect in its code. */
export function deathError({ code, by, stderrTail, oomKillsBefore }: ChildExit): JailError {
  const signal = by ?? findSignal(code);
  const cause = new Error(`The child ended with ${signal ?? `exit code ${code}`}: ${stderrTail}`);
  if (signal !== undefined && !OWN_FAULTS.includes(signal)) {
    return new JailError('KILLED', { mayRepeat: true, lacksMemory: oomKills() > oomKillsBefore, cause });
  }
  const isOutOfMemory = /out of memory|bad_alloc|failed to allocate/i.test(stderrTail);
  return new JailError(isOutOfMemory ? 'OUT_OF_MEMORY' : 'CRASHED', { mayRepeat: true, cause });
}

/** The child broke a rule of its channel, of its folders or of its result. */
export function invalidOutput(cause: Error): JailError {
  return new JailError('INVALID_OUTPUT', { mayRepeat: true, cause });
}

/** A supervisor reports the signal that ended its child with the exit code of shells. */
function findSignal(code: number | null): string | undefined {
  if (code === null || code <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}

/** Processes that the kernel has ended for lack of memory, of the machine or a control group; 0 without procfs. */
export function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
