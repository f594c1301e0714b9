import { pino, type DestinationStream, type Logger } from 'pino';
import { toPublicAddress } from '@burnish/contract';
import { currentTraceIds } from '../../tracing/span.ts';

/** Maximum number of logged causes in a chain. */
const MAX_CAUSES = 5;
/** Maximum length of a logged stack in characters, including the message. */
const MAX_STACK = 8_000;
const MAX_MESSAGE = 2_000;

/** Paths in logged objects that could contain a secret. */
const SECRET_PATHS = [
  'x-api-key',
  'x-pdf-password',
  'password',
  'authorization',
  'cookie',
  'apiKey',
  'secret',
  'token',
  'url',
  'webhookUrl',
].flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/**
 * Creates a logger of JSON lines without keys, and with the public part of URLs only. Errors are logged only as the result
 * of `errorForLog`.
 */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      redact: { paths: SECRET_PATHS, censor: withoutSecrets },
      base: null,
      mixin: currentTraceIds,
      serializers: { err: (error: unknown) => errorForLog(error), error: (error: unknown) => errorForLog(error) },
    },
    ...(options.destination === undefined ? [] : [options.destination]),
  );
}

/** Reduces a URL to its public part; removes any other value. */
function withoutSecrets(value: unknown, path: string[]): string {
  const name = path.at(-1)?.toLowerCase() ?? '';
  if (!name.endsWith('url') || typeof value !== 'string' || !URL.canParse(value)) return '[redacted]';
  return toPublicAddress(value);
}

interface LoggedError {
  type: string;
  message: string;
  stack: string;
  code?: string | number;
  cause?: LoggedError;
}

/**
 * An error for the log: its name, message, stack, code and causes. It omits all other properties, such as requests
 * with their headers. It removes secrets from the texts: values of a failed query, and all of a URL but its public part.
 */
function errorForLog(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutSecretTexts(String(error)), stack: '' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.name,
    message: withoutSecretTexts(error.message).slice(0, MAX_MESSAGE),
    stack: withoutSecretTexts(error.stack ?? '').slice(0, MAX_STACK),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause === undefined || cause === null || depth >= MAX_CAUSES ? {} : { cause: errorForLog(cause, depth + 1) }),
  };
}

function withoutSecretTexts(text: string): string {
  return (
    text
      // Parameters that the query builder adds to its errors: records of callers, hashes, webhook secrets.
      .replace(/\nparams: [^]*?(?=\n {4}at |$)/g, '\nparams: …')
      .replace(/\b([a-z][a-z0-9+.-]{0,15}:\/\/)[^\s/@"'<>]+@/gi, '$1…@')
      .replace(/\b(https?:\/\/[^\s/?#"'<>]+)[/?#][^\s"'<>]+/gi, '$1/…')
      .replace(/\b([a-z][a-z0-9+.-]{0,15}:\/\/[^\s?"'<>]+)\?[^\s"'<>]*/gi, '$1?…')
  );
}
