import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { rc4 } from './rc4.ts';

/** What the encryption dictionary says (ISO 32000-2 tables 20 and 21). */
export interface EncryptionFacts {
  /** V */
  version: number;
  /** R */
  revision: number;
  /** Length, bytes */
  keyBytes: number;
  /** P */
  permissions: number;
  encryptMetadata: boolean;
  /** O */
  owner: Buffer;
  /** U */
  user: Buffer;
  /** UE, from version 5 */
  userKey: Buffer;
  /** The first of the trailer's two IDs */
  id: Buffer;
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

const md5 = (...parts: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();

/** The file's key for the empty user password, or undefined when a password is needed. */
export function keyForEmptyPassword(facts: EncryptionFacts): Buffer | undefined {
  return facts.version >= 5 ? newKey(facts) : oldKey(facts);
}

/** Algorithm 2, checked by algorithm 6 (ISO 32000-1 section 7.6.3). */
function oldKey(facts: EncryptionFacts): Buffer | undefined {
  const { revision, owner, user, id, permissions, encryptMetadata } = facts;
  const length = revision === 2 ? 5 : Math.min(16, Math.max(5, facts.keyBytes));
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions | 0);
  const unencrypted = revision >= 4 && !encryptMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  let key = md5(PADDING, owner.subarray(0, 32), flags, id, unencrypted);
  if (revision >= 3) for (let i = 0; i < 50; i += 1) key = md5(key.subarray(0, length));
  key = key.subarray(0, length);

  if (revision === 2) return rc4(key, PADDING).equals(user.subarray(0, 32)) ? key : undefined;
  let check = rc4(key, md5(PADDING, id));
  for (let i = 1; i <= 19; i += 1) check = rc4(Buffer.from(key.map((byte) => byte ^ i)), check);
  return check.equals(user.subarray(0, 16)) ? key : undefined;
}

/** Algorithm 2.A for an empty password (ISO 32000-2 section 7.6.4.3.3). */
function newKey({ revision, user, userKey }: EncryptionFacts): Buffer | undefined {
  if (user.length < 48 || userKey.length < 32) return undefined;
  const hash = (salt: Buffer): Buffer =>
    revision >= 6 ? hardenedHash(salt) : createHash('sha256').update(salt).digest();
  if (!hash(user.subarray(32, 40)).equals(user.subarray(0, 32))) return undefined;
  const decipher = createDecipheriv('aes-256-cbc', hash(user.subarray(40, 48)), Buffer.alloc(16)).setAutoPadding(false);
  return Buffer.concat([decipher.update(userKey.subarray(0, 32)), decipher.final()]);
}

/** Algorithm 2.B for an empty password and no owner's key. */
function hardenedHash(salt: Buffer): Buffer {
  let key = createHash('sha256').update(salt).digest();
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const input = Buffer.alloc(key.length * 64, key);
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const encrypted = cipher.update(input);
    // 256 is 1 modulo 3, so the first 16 bytes as one number leave the same remainder as their sum.
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(['sha256', 'sha384', 'sha512'][remainder] as string)
      .update(encrypted)
      .digest();
    last = encrypted[encrypted.length - 1] as number;
  }
  return key.subarray(0, 32);
}
