import { hkdfSync, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Creates a signing secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return toSecret(randomBytes(SECRET_BYTES));
}

/**
 * The signing secret of a listener, by HKDF (RFC 5869). It depends on the name alone, so that a receiver keeps its setting when
 * a listener expires and starts again.
 * @param accountSecret `whsec_…` of the account
 */
export function listenerSecret(accountSecret: string, name: string): string {
  const key = Buffer.from(accountSecret.slice(PREFIX.length), 'base64');
  return toSecret(Buffer.from(hkdfSync('sha256', key, '', `burnish webhook listener ${name}`, SECRET_BYTES)));
}

const toSecret = (bytes: Buffer): string => `${PREFIX}${bytes.toString('base64')}`;
