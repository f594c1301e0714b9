import { isDatabaseUnavailable, isUnavailableState } from '../../database/unavailable.ts';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** What the drivers and the pool say without a code. */
const WORDS =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|PGlite is closed|The embedded database has stopped)/i;

/**
 * Whether a query failed because the database is away for now. What the database's own code has not marked is told by the
 * words and codes of the drivers; storage's errors have been named before.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth += 1) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : undefined;
    if (code !== undefined && (NETWORK.has(code) || (code.length === 5 && isUnavailableState(code)))) return true;
    if (each instanceof AggregateError && each.errors.some((one) => isDatabaseAway(one))) return true;
    if (WORDS.test(each.message)) return true;
  }
  return false;
}
