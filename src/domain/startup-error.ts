/**
 * A reason why the instance cannot start or go on, in one sentence for its operator: it names the setting to
 * change. For the terminal and the log, never for a caller (those get a `Failure`).
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
