import type { MissingPart } from './isolation/isolation.ts';

/** The sentence of each code. */
export const JAIL_ERRORS = {
  OUT_OF_TIME: 'The task needs more CPU time than its limit.',
  OUT_OF_MEMORY: 'The task needs more memory than its limit.',
  TOO_MANY_THREADS: 'The task needs more threads than the limit.',
  CRASHED: 'The child process crashed during the task.',
  INVALID_OUTPUT: 'The child process sent or left something that its task cannot have.',
  TASK_FAILED: 'The task failed.',
  FILE_ERROR: 'The files of the task could not be passed to it or taken from it.',
  KILLED: 'The machine ended the child process.',
  STARVED: 'The machine gave the child process no CPU time.',
  NOT_STARTED: 'A child process could not be started.',
  PROGRAM_CHANGED: 'The program of the child processes has changed. Restart this process.',
  CLOSED: 'The pool is closed.',
  NOT_ISOLATED: 'The kernel does not isolate child processes here.',
  UNUSABLE_PATH:
    'The path has an asterisk, which the permission model of Node.js takes for a pattern. Rename the folder.',
  PRIVATE_PATH: 'Children of root run as another user, who cannot read the path. Allow it: chmod o+rX.',
  NO_TEMPORARY_FOLDER:
    'The temporary folder cannot be used. Set TMPDIR to a folder that exists, is writable and has space.',
} as const;

/** Why a task has no result, or why there is no jail. */
export type JailErrorCode = keyof typeof JAIL_ERRORS;

export interface JailErrorOptions {
  cause?: unknown;
  mayRepeat?: boolean | undefined;
  lacksMemory?: boolean | undefined;
  path?: string | undefined;
  missing?: MissingPart | undefined;
}

/** A task without a result, or a machine without a jail. The message says nothing about the content of a file. */
export class JailError extends Error {
  override readonly name = 'JailError';
  readonly code: JailErrorCode;
  /** Whether the child process is at fault, or its machine: in another child, the task may have a result */
  readonly mayRepeat: boolean;
  /** With KILLED and NOT_STARTED: whether the machine lacked memory */
  readonly lacksMemory: boolean;
  /** With UNUSABLE_PATH, PRIVATE_PATH and NO_TEMPORARY_FOLDER */
  readonly path: string | undefined;
  /** With NOT_ISOLATED: what the machine lacks */
  readonly missing: MissingPart | undefined;

  constructor(
    code: JailErrorCode,
    { cause, mayRepeat = false, lacksMemory = false, path, missing }: JailErrorOptions = {},
  ) {
    super(JAIL_ERRORS[code], { cause });
    this.code = code;
    this.mayRepeat = mayRepeat;
    this.lacksMemory = lacksMemory;
    this.path = path;
    this.missing = missing;
  }
}
