/**
 * Reason for which the instance cannot start or continue, in one sentence for its operator that names the setting to change.
 * The terminal and the log show it. Callers never see it, and get a `Failure` instead.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
