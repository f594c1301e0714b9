import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** AES-256-GCM, NIST SP 800-38D: a random nonce of 96 bits and a tag of 128 bits. */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type Purpose = 'payloads' | 'stored secrets' | 'temporal ui' | 'operations';

export interface Sealer {
  /** Id of the key that `seal` uses */
  readonly keyId: string;
  /** @returns nonce, tag and encrypted bytes */
  seal(plain: Uint8Array, associated: string): Buffer;
  /** Whether the ring has a key of this id */
  knows(keyId: string): boolean;
  /** @returns undefined for an unknown key, altered bytes or other associated data */
  open(keyId: string, sealed: Uint8Array, associated: string): Buffer | undefined;
}

/** The keys of an instance, newest first. */
export interface KeyRing {
  /** Ids of the keys, the one that encrypts first */
  readonly keyIds: readonly [string, ...string[]];
  sealer(purpose: Purpose): Sealer;
}

/** @param keys 32 bytes each; the first encrypts, and all of them decrypt */
export function createKeyRing(keys: readonly [Uint8Array, ...Uint8Array[]]): KeyRing {
  const byId = new Map(keys.map((key) => [computeKeyId(key), key]));
  const keyIds: KeyRing['keyIds'] = [computeKeyId(keys[0]), ...keys.slice(1).map(computeKeyId)];
  return { keyIds, sealer: (purpose) => createSealer(keyIds[0], derive(byId, purpose)) };
}

export const newKey = (): Buffer => randomBytes(KEY_BYTES);

/** A key as settings and the key file write it; undefined when it is not base64 of 32 bytes. */
export function readKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  return key.byteLength === KEY_BYTES ? key : undefined;
}

/** Names a key without revealing it: the first 64 bits of a hash of 256 random bits. */
function computeKeyId(key: Uint8Array): string {
  return createHash('sha256').update('burnish key id 1\n').update(key).digest('hex').slice(0, 16);
}

/** RFC 5869, so that no key is used for two purposes. */
function derive(keys: ReadonlyMap<string, Uint8Array>, purpose: Purpose): Map<string, Buffer> {
  const info = `burnish ${purpose} 1`;
  return new Map([...keys].map(([id, key]) => [id, Buffer.from(hkdfSync('sha256', key, '', info, KEY_BYTES))]));
}

function createSealer(keyId: string, keys: ReadonlyMap<string, Buffer>): Sealer {
  const current = keys.get(keyId)!;
  return {
    keyId,
    seal(plain, associated) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current, nonce);
      cipher.setAAD(associatedData(keyId, associated));
      const encrypted = [cipher.update(plain), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]);
    },
    knows: (id) => keys.has(id),
    open(id, sealed, associated) {
      const key = keys.get(id);
      if (key === undefined || sealed.byteLength < NONCE_BYTES + TAG_BYTES) return undefined;
      const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData(id, associated));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]);
      } catch {
        // The tag does not fit: the only reason that node:crypto has here.
        return undefined;
      }
    },
  };
}

const associatedData = (keyId: string, associated: string): Buffer => Buffer.from(`${keyId}\n${associated}`);

const PREFIX = 'sealed.1';
const FORM = /^sealed\.1\.([0-9a-f]{16})\.([\w-]+)$/;

/** A stored secret needs a key that is not in the ring. */
export class MissingKeyError extends Error {
  constructor(
    readonly keyId: string,
    aad: string,
  ) {
    super(`A stored secret (${aad}) cannot be decrypted: it needs the encryption key ${keyId}.`);
  }
}

export interface Vault {
  /** @param aad associated data: table, row and column. A value that is copied elsewhere cannot be decrypted there */
  seal(text: string, aad: string): string;
  /**
   * The text of a stored value.
   * @throws MissingKeyError when its key is not there; Error when it was altered, is no sealed value or has other associated data
   */
  open(stored: string, aad: string): string;
  readonly prefix: string;
}

export function createVault(ring: KeyRing): Vault {
  const sealer = ring.sealer('stored secrets');
  const prefix = `${PREFIX}.${sealer.keyId}.`;
  return {
    prefix,
    seal: (text, aad) => prefix + sealer.seal(Buffer.from(text), aad).toString('base64url'),
    open(stored, aad) {
      const [, keyId = '', body = ''] = FORM.exec(stored) ?? [];
      const text = sealer.open(keyId, Buffer.from(body, 'base64url'), aad);
      if (text !== undefined) return text.toString();
      if (keyId !== '' && !sealer.knows(keyId)) throw new MissingKeyError(keyId, aad);
      throw new Error(`A stored secret (${aad}) cannot be decrypted with the keys of this instance.`);
    },
  };
}
