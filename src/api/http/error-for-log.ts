/** Most causes of a chain that are logged. */
const MAX_CAUSES = 5;
/** Most characters of a stack that are logged, with the message at its head. */
const MAX_STACK = 8_000;
const MAX_MESSAGE = 2_000;

/** The logged parts of an error. */
export interface LoggedError {
  type: string;
  message: string;
  stack: string;
  code?: string | number;
  cause?: LoggedError;
}

/**
 * An error as the log shows it: what it is called, what it says, where it comes from, its code and its causes. Nothing else
 * that hangs on it, such as requests with their headers, and no secret in its words: not the values of a failed query, not the
 * query of an address nor its user.
 */
export function errorForLog(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutSecrets(String(error)), stack: '' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: withoutSecrets(error.message).slice(0, MAX_MESSAGE),
    stack: withoutSecrets(error.stack ?? '').slice(0, MAX_STACK),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause === undefined || cause === null || depth >= MAX_CAUSES ? {} : { cause: errorForLog(cause, depth + 1) }),
  };
}

function withoutSecrets(text: string): string {
  return (
    text
      // What the query builder adds to its errors: records of callers, hashes, secrets of webhooks.
      .replace(/\nparams: [^]*?(?=\n {4}at |$)/g, '\nparams: …')
      .replace(/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@"'<>]+@/gi, '$1…@')
      .replace(/\b([a-z][a-z0-9+.-]{0,15}:\/\/[^\s?"'<>]+)\?[^\s"'<>]*/gi, '$1?…')
  );
}
