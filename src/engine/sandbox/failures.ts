import { constants } from 'node:os';
import { Failure } from '../../domain/failures.ts';

/** The file exceeded a limit of the task. */
export function limitFailure(what: 'time' | 'memory'): Failure {
  return new Failure('PROCESSING_LIMIT', { detail: `The file needs more ${what} than the limit.` });
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
export function notStarted(cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const machinery = code === 'ENOMEM' || code === 'EAGAIN' ? 'memory' : 'worker';
  return new Failure('UNAVAILABLE', { detail: 'A process for the work could not be started.', machinery, cause });
}

/** A child died by itself, or had to be ended for its behaviour. Once, the machine may have ended it; twice over the same bytes, the file is at fault. */
export class DecoderDeath extends Failure {}

/** The cause of a crashed child: a lack of memory, detected by the kernel or V8, or a defect in a decoder. */
export function deathFailure(code: number | null, by: NodeJS.Signals | null, stderrTail: string): Failure {
  const cause = new Error(`The child ended with ${by ?? `exit code ${code}`}: ${stderrTail}`);
  // A supervisor reports the signal that ended its child with the exit code of shells.
  const killed = by === 'SIGKILL' || code === 128 + constants.signals.SIGKILL;
  if (killed || /out of memory|bad_alloc/i.test(stderrTail)) {
    return new DecoderDeath('PROCESSING_LIMIT', { detail: limitFailure('memory').message, cause });
  }
  return brokenFailure(cause);
}

/** A child that crashed, or did what its code does not do: the file damaged it. */
export function brokenFailure(cause: Error): DecoderDeath {
  return new DecoderDeath('CORRUPT_FILE', { detail: 'The decoder crashed on the file.', cause });
}
