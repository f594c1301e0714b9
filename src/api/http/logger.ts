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

/** Logs as JSON lines, never a key, never the query of an address, and of errors only the result of `errorForLog`. */
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

/** An address keeps its host and path; anything else goes altogether. */
function withoutSecrets(value: unknown, path: string[]): string {
  const name = path.at(-1)?.toLowerCase() ?? '';
  if (!name.endsWith('url') || typeof value !== 'string' || !URL.canParse(value)) return '[redacted]';
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}
