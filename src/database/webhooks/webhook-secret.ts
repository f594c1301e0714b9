import { randomBytes } from 'node:crypto';

/** Creates a signing secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
