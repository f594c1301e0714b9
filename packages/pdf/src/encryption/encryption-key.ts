import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/** RC4, which OpenSSL 3 no longer supports; the same function encrypts and decrypts. */
export function rc4(key: Buffer, data: Buffer): Buffer {
  const state = new Uint8Array(256).map((_, i) => i);
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 0xff;
    [state[i], state[j]] = [state[j] as number, state[i] as number];
  }
  const out = Buffer.allocUnsafe(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at += 1) {
    i = (i + 1) & 0xff;
    const a = state[i] as number;
    j = (j + a) & 0xff;
    const b = state[j] as number;
    state[i] = b;
    state[j] = a;
    out[at] = (data[at] as number) ^ (state[(a + b) & 0xff] as number);
  }
  return out;
}

/** Entries of the encryption dictionary (ISO 32000-2 tables 20 and 21). */
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
  /** OE, from version 5 */
  ownerKey: Buffer;
  user: Buffer;
  /** UE, from version 5 */
  userKey: Buffer;
  /** The first of the trailer's two IDs */
  id: Buffer;
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

const md5 = (...parts: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();

/** Returns the file's key for the password of the user or the owner; undefined when the password is neither. */
export function keyForPassword(facts: EncryptionFacts, password: string): Buffer | undefined {
  if (facts.version >= 5) return newKey(facts, Buffer.from(password.normalize('NFKC'), 'utf8').subarray(0, 127));
  const bytes = padded(Buffer.from(password, 'latin1'));
  return oldKey(facts, bytes) ?? oldKey(facts, recoverUserPassword(facts, bytes));
}

const padded = (password: Buffer): Buffer => Buffer.concat([password, PADDING]).subarray(0, 32);

const keyLength = ({ revision, keyBytes }: EncryptionFacts): number =>
  revision === 2 ? 5 : Math.min(16, Math.max(5, keyBytes));

/** Algorithm 2, verified by algorithm 6 (ISO 32000-1 section 7.6.3). @param password 32 bytes */
function oldKey(facts: EncryptionFacts, password: Buffer): Buffer | undefined {
  const { revision, owner, user, id, permissions, encryptMetadata } = facts;
  const length = keyLength(facts);
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions | 0);
  const unencrypted = revision >= 4 && !encryptMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  let key = md5(password, owner.subarray(0, 32), flags, id, unencrypted);
  if (revision >= 3) for (let i = 0; i < 50; i += 1) key = md5(key.subarray(0, length));
  key = key.subarray(0, length);

  if (revision === 2) return rc4(key, PADDING).equals(user.subarray(0, 32)) ? key : undefined;
  let check = rc4(key, md5(PADDING, id));
  for (let i = 1; i <= 19; i += 1) check = rc4(xored(key, i), check);
  return check.equals(user.subarray(0, 16)) ? key : undefined;
}

/** Algorithm 7: recovers the padded user password with the owner password. */
function recoverUserPassword(facts: EncryptionFacts, ownerPassword: Buffer): Buffer {
  const { revision, owner } = facts;
  let key = md5(ownerPassword);
  if (revision >= 3) for (let i = 0; i < 50; i += 1) key = md5(key);
  key = key.subarray(0, keyLength(facts));
  let password = owner.subarray(0, 32);
  for (let i = revision === 2 ? 0 : 19; i >= 0; i -= 1) password = rc4(xored(key, i), password);
  return padded(password);
}

const xored = (key: Buffer, value: number): Buffer => Buffer.from(key.map((byte) => byte ^ value));

/** Algorithm 2.A (ISO 32000-2 section 7.6.4.3.3): tries the owner password first, then the user password. */
function newKey(facts: EncryptionFacts, password: Buffer): Buffer | undefined {
  const { owner, ownerKey, user, userKey } = facts;
  return (
    unlock(facts, password, owner, ownerKey, user.subarray(0, 48)) ??
    unlock(facts, password, user, userKey, Buffer.alloc(0))
  );
}

/** @param entry the password hash, then the validation salt and the key salt, 8 bytes each */
function unlock(
  { revision }: EncryptionFacts,
  password: Buffer,
  entry: Buffer,
  encryptedKey: Buffer,
  userEntry: Buffer,
): Buffer | undefined {
  if (entry.length < 48 || encryptedKey.length < 32) return undefined;
  const hash = (salt: Buffer): Buffer =>
    revision >= 6
      ? hardenedHash(password, salt, userEntry)
      : createHash('sha256').update(password).update(salt).update(userEntry).digest();
  if (!hash(entry.subarray(32, 40)).equals(entry.subarray(0, 32))) return undefined;
  const decipher = createDecipheriv('aes-256-cbc', hash(entry.subarray(40, 48)), Buffer.alloc(16)).setAutoPadding(
    false,
  );
  return Buffer.concat([decipher.update(encryptedKey.subarray(0, 32)), decipher.final()]);
}

/** Algorithm 2.B. */
function hardenedHash(password: Buffer, salt: Buffer, userEntry: Buffer): Buffer {
  let key = createHash('sha256').update(password).update(salt).update(userEntry).digest();
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const once = Buffer.concat([password, key, userEntry]);
    const input = Buffer.alloc(once.length * 64, once);
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
