import type { KeyRing } from './key-ring.ts';

const PREFIX = 'sealed.1';
const FORM = /^sealed\.1\.([0-9a-f]{16})\.([\w-]+)$/;

/** Encrypts texts that are stored in a database. */
export interface Vault {
  /** @param place table, row and column: a text that is copied to another place cannot be read there */
  seal(text: string, place: string): string;
  /**
   * The text of a stored value. A value from before encryption is its own text, until the next start encrypts it.
   * @throws Error when its key is not there, or when it was altered or belongs to another place
   */
  open(stored: string, place: string): string;
  /** How values begin that the present key has encrypted */
  readonly prefix: string;
}

export function createVault(ring: KeyRing): Vault {
  const sealer = ring.sealer('stored secrets');
  const prefix = `${PREFIX}.${sealer.keyId}.`;
  return {
    prefix,
    seal: (text, place) => prefix + sealer.seal(Buffer.from(text), place).toString('base64url'),
    open(stored, place) {
      if (!stored.startsWith(`${PREFIX}.`)) return stored;
      const [, keyId = '', body = ''] = FORM.exec(stored) ?? [];
      const text = sealer.open(keyId, Buffer.from(body, 'base64url'), place);
      if (text !== undefined) return text.toString();
      throw new Error(`A stored secret (${place}) cannot be decrypted with the keys of this instance.`);
    },
  };
}
