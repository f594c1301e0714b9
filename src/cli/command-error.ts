/** A fault that the person at the terminal can mend, in one sentence. Exit code 1. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** The command was not typed as it should be: exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}
