import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * The kind of a body's signature. It is hex HMAC-SHA256 in the given header, with or without the prefix `sha256=`, or
 * Standard Webhooks with a tolerance of five minutes.
 * @param raw the body, byte for byte
 * @param header in lower case
 * @returns undefined without a valid signature
 */
export function signatureKind(
  raw: Buffer,
  headers: IncomingHttpHeaders,
  secret: string,
  header: string,
): 'hex' | 'standard' | undefined {
  const given = headers[header];
  if (typeof given === 'string') {
    const expected = createHmac('sha256', secret).update(raw).digest('hex');
    const digits = given
      .trim()
      .toLowerCase()
      .replace(/^sha256=/, '');
    return isSameText(digits, expected) ? 'hex' : undefined;
  }
  const standard = standardHeaders(headers);
  if (standard === undefined) return undefined;
  try {
    standardWebhook(secret).verify(raw, standard, { jsonParse: false });
    return 'standard';
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined;
    throw error;
  }
}

function standardHeaders(headers: IncomingHttpHeaders): Record<string, string> | undefined {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const values = names.map((name) => [name, headers[name]] as const);
  if (values.some(([, value]) => typeof value !== 'string')) return undefined;
  return Object.fromEntries(values) as Record<string, string>;
}

/** A secret in the form of the standard is base64; any other is used as plain text. */
function standardWebhook(secret: string): Webhook {
  const isBase64 = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret);
  return isBase64 ? new Webhook(secret) : new Webhook(secret, { format: 'raw' });
}
