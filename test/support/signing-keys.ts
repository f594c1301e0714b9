import type { SigningKey } from '../../src/domain/files/signing-key.ts';

/**
 * A single signing key, for a signer.
 * @param secret at least 16 characters
 */
export function oneKey(secret: string): () => SigningKey[] {
  return () => [{ id: '0', secret: Buffer.from(secret), signsFromMs: 0 }];
}
