/** Maximum number of logged causes in a chain. */
const MAX_CAUSES = 5;
/** Maximum length of a logged stack in characters, including the message. */
const MAX_STACK = 8_000;
const MAX_MESSAGE = 2_000;

export interface LoggedError {
  type: string;
  message: string;
  stack: string;
  code?: string | number;
  cause?: LoggedError;
}

/**
 * An error for the log: its name, message, stack, code and causes. It omits all other properties, such as requests
 * with their headers. It removes secrets from the texts: values of a failed query, and the query and user of an
 * address.
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
      // Parameters that the query builder adds to its errors: records of callers, hashes, webhook secrets.
      .replace(/\nparams: [^]*?(?=\n {4}at |$)/g, '\nparams: …')
      .replace(/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@"'<>]+@/gi, '$1…@')
      .replace(/\b([a-z][a-z0-9+.-]{0,15}:\/\/[^\s?"'<>]+)\?[^\s"'<>]*/gi, '$1?…')
  );
}
