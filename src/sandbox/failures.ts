import { JailError, type JailErrorCode } from '@burnish/jail';
import { Failure, type FailureCode, type Machinery } from '@burnish/contract';
import { StartupError } from '../domain/startup-error.ts';
import { missingIsolation } from './missing-isolation.ts';

type StartCode = 'NOT_ISOLATED' | 'UNUSABLE_PATH' | 'PRIVATE_PATH' | 'NO_TEMPORARY_FOLDER';

/** The failure for each end of a task without a result, with a sentence for callers where the one of the code does not fit. */
const FAILURE_OF: Record<Exclude<JailErrorCode, StartCode>, readonly [code: FailureCode, detail?: string]> = {
  OUT_OF_TIME: ['PROCESSING_LIMIT', 'The file needs more CPU time than the limit.'],
  OUT_OF_MEMORY: ['PROCESSING_LIMIT', 'The file needs more memory than the limit.'],
  TOO_MANY_THREADS: ['PROCESSING_LIMIT', 'The file needs more threads than the limit.'],
  CRASHED: ['CORRUPT_FILE', 'The decoder crashed on the file.'],
  INVALID_OUTPUT: ['CORRUPT_FILE', 'The decoder crashed on the file.'],
  TASK_FAILED: ['INTERNAL'],
  FILE_ERROR: ['INTERNAL'],
  KILLED: ['UNAVAILABLE', 'The machine ended the process for the work.'],
  STARVED: ['UNAVAILABLE', 'The machine gave the process for the work no CPU time.'],
  NOT_STARTED: ['UNAVAILABLE', 'A process for the work could not be started.'],
  PROGRAM_CHANGED: ['UNAVAILABLE', 'An update changed the files of Burnish. Restart it.'],
  CLOSED: ['UNAVAILABLE', 'The worker is shutting down.'],
};

/** Turns an error of a jail into the failure of the task. Other errors stay: the failure of a task, the reason of a signal. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof JailError) || isOfStart(error.code)) return error;
  const [code, detail] = FAILURE_OF[error.code];
  const machinery: Machinery = error.lacksMemory ? 'memory' : 'worker';
  return new Failure(code, {
    ...(detail !== undefined && { detail }),
    ...(code === 'UNAVAILABLE' && { machinery }),
    cause: error.cause ?? error,
  });
}

/** Turns an error about the machine into one for its operator. */
export function toStartupError(cause: unknown): unknown {
  if (!(cause instanceof JailError) || !isOfStart(cause.code)) return cause;
  return new StartupError(startSentence(cause.code, cause), { cause });
}

const isOfStart = (code: JailErrorCode): code is StartCode => !Object.hasOwn(FAILURE_OF, code);

function startSentence(code: StartCode, { path, missing, cause }: JailError): string {
  switch (code) {
    case 'NOT_ISOLATED':
      return `BURNISH_SANDBOX is \`required\`. ${missingIsolation({ missing: missing ?? null })}`;
    case 'UNUSABLE_PATH':
      return `The path ${path} has an asterisk, which decoders cannot use. Rename the folder.`;
    case 'PRIVATE_PATH':
      return `Decoders run as another user than root, who cannot read ${path}. Allow it: chmod -R o+rX ${path}`;
    case 'NO_TEMPORARY_FOLDER': {
      const { code: trouble = 'unknown error' } = cause as NodeJS.ErrnoException;
      return `The temporary folder ${path} cannot be used (${trouble}). Set TMPDIR to a folder that exists, is writable and has space.`;
    }
  }
}

export function isCpuLimit(error: unknown): boolean {
  return error instanceof Failure && error.cause instanceof JailError && error.cause.code === 'OUT_OF_TIME';
}
