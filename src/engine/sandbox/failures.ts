import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { Failure } from '../../domain/failures.ts';
import type { Machinery } from '../../domain/machinery.ts';

export function limitFailure(what: 'CPU time' | 'memory' | 'threads'): Failure {
  return new Failure('PROCESSING_LIMIT', { detail: `The file needs more ${what} than the limit.` });
}

export function isCpuLimit(error: unknown): boolean {
  return error instanceof Failure && error.message === limitFailure('CPU time').message;
}

/** The sandbox is being closed, which is no fault of the file: the task may be done again elsewhere. */
export function closedFailure(): Failure {
  return new Failure('UNAVAILABLE', {
    detail: 'The worker is shutting down.',
    machinery: 'worker',
    cause: new Error('The sandbox is closed.'),
  });
}

/** The machine starts no process, or cannot reach the one that it started: no file is at fault. */
export function notStarted(cause: unknown, oomKillsBefore: number): Failure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const machinery = code === 'ENOMEM' || code === 'EAGAIN' ? 'memory' : lackedSince(oomKillsBefore);
  return new Failure('UNAVAILABLE', { detail: 'A process for the work could not be started.', machinery, cause });
}

/**
 * A child died by itself, had to be ended for its behaviour, or got no CPU time. Once, the machine may be at fault;
 * twice over the same bytes, the file is, unless the failure is UNAVAILABLE.
 */
export class DecoderDeath extends Failure {}

/** Signals of a process's own faults (signal(7)), and of a call that its filter forbids. All others come from outside. */
const OWN_FAULTS = ['SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGBUS', 'SIGFPE', 'SIGTRAP', 'SIGSYS', 'SIGXFSZ', 'SIGPIPE'];

export interface ChildExit {
  code: number | null;
  by: NodeJS.Signals | null;
  stderrTail: string;
  oomKillsBefore: number;
}

/** The cause of a dead child: a signal from outside, a lack of memory that V8 or malloc detected, or a defect in a decoder. */
export function deathFailure({ code, by, stderrTail, oomKillsBefore }: ChildExit): DecoderDeath {
  const signal = by ?? findSignal(code);
  const cause = new Error(`The child ended with ${signal ?? `exit code ${code}`}: ${stderrTail}`);
  if (signal !== undefined && !OWN_FAULTS.includes(signal)) {
    const machinery = lackedSince(oomKillsBefore);
    return new DecoderDeath('UNAVAILABLE', { detail: 'The machine ended the process for the work.', machinery, cause });
  }
  if (/out of memory|bad_alloc/i.test(stderrTail)) {
    return new DecoderDeath('PROCESSING_LIMIT', { detail: limitFailure('memory').message, cause });
  }
  return brokenFailure(cause);
}

export function brokenFailure(cause: Error): DecoderDeath {
  return new DecoderDeath('CORRUPT_FILE', { detail: 'The decoder crashed on the file.', cause });
}

/** A supervisor reports the signal that ended its child with the exit code of shells. */
function findSignal(code: number | null): string | undefined {
  if (code === null || code <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}

/** The child was stopped, or other work took its share of the machine. */
export function starvedFailure(): DecoderDeath {
  const cause = new Error('The child got too little CPU time.');
  const detail = 'The machine gave the process for the work no CPU time.';
  return new DecoderDeath('UNAVAILABLE', { detail, machinery: 'worker', cause });
}

const lackedSince = (oomKillsBefore: number): Machinery => (oomKills() > oomKillsBefore ? 'memory' : 'worker');

/** Processes that the kernel has ended for lack of memory, of the machine or a control group; 0 without procfs. */
export function oomKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
