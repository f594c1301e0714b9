/** Maximum accepted wait. */
const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

const SECONDS = /^\d{1,15}$/;
/** The three forms of RFC 9110, section 5.6.7. Each starts with the weekday. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w :-]{10,40}$/;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds or a date.
 * @param now epoch milliseconds
 * @returns milliseconds to wait from now, 0 to 24 hours; null without a valid header
 */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (SECONDS.test(text)) return bounded(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return null;
  // The asctime form has no zone, and all HTTP dates are in GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : bounded(at - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
