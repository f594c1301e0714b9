import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { errorForLog } from './error-for-log.ts';

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
 * Creates a logger of JSON lines without keys and without queries of addresses. Errors are logged only as the result
 * of `errorForLog`.
 */
export function createLogger(options: { level: string; destination?: DestinationStream }): Logger {
  return pino(
    {
      level: options.level,
      redact: { paths: SECRET_PATHS, censor: withoutSecrets },
      base: null,
      serializers: { err: (error: unknown) => errorForLog(error), error: (error: unknown) => errorForLog(error) },
    },
    ...(options.destination === undefined ? [] : [options.destination]),
  );
}

/** Reduces an address to its host and path; removes any other value. */
function withoutSecrets(value: unknown, path: string[]): string {
  const name = path.at(-1)?.toLowerCase() ?? '';
  if (!name.endsWith('url') || typeof value !== 'string' || !URL.canParse(value)) return '[redacted]';
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}
