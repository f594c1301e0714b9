import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { PdfError } from '../pdf-error.ts';
import { keyForPassword, rc4 } from './encryption-key.ts';
import { isDict, isName, isString, type PdfDict, type PdfValue } from '../syntax/objects.ts';

type Method = 'none' | 'rc4' | 'aes-128' | 'aes-256';

export interface Encryption {
  decryptStream(data: Buffer, number: number, generation: number): Buffer;
  decryptString(data: Buffer, number: number, generation: number): Buffer;
  /** Equal input gives equal output: it determines the initialisation vector */
  encryptString(data: Buffer, number: number, generation: number): Buffer;
  /** Equal input gives equal output: it determines the initialisation vector */
  encryptStream(data: Buffer, number: number, generation: number): Buffer;
}

/**
 * Opens the encryption of a file.
 * @param id the first of the trailer's two IDs
 * @param password the password of the user or the owner; the empty password is also tried
 * @throws PdfError PASSWORD_REQUIRED, WRONG_PASSWORD; UNSUPPORTED_ENCRYPTION for another security handler
 */
export function openEncryption(
  dict: PdfDict,
  id: Buffer,
  resolve: (value: PdfValue | undefined) => PdfValue,
  password = '',
): Encryption {
  const number = (key: string, otherwise: number): number => {
    const value = resolve(dict.get(key));
    return typeof value === 'number' ? value : otherwise;
  };
  const bytes = (key: string): Buffer => {
    const value = resolve(dict.get(key));
    return isString(value) ? value.bytes : Buffer.alloc(0);
  };
  const filter = resolve(dict.get('Filter'));
  const version = number('V', 0);
  if (!isName(filter) || filter.value !== 'Standard' || ![1, 2, 4, 5].includes(version)) {
    throw new PdfError('UNSUPPORTED_ENCRYPTION', 'The PDF is encrypted in a way that is not supported.');
  }
  const readMethod = (which: 'StmF' | 'StrF'): Method => {
    if (version < 4) return 'rc4';
    const method = findCryptFilter(which)?.get('CFM');
    const found = resolve(method);
    if (!isName(found) || found.value === 'None') return 'none';
    return found.value === 'V2' ? 'rc4' : found.value === 'AESV2' ? 'aes-128' : 'aes-256';
  };
  const findCryptFilter = (which: 'StmF' | 'StrF'): PdfDict | undefined => {
    const chosen = resolve(dict.get(which));
    const filters = resolve(dict.get('CF'));
    const found = isName(chosen) && isDict(filters) ? resolve(filters.get(chosen.value)) : null;
    return isDict(found) ? found : undefined;
  };
  const streams = readMethod('StmF');
  const strings = readMethod('StrF');
  const facts = {
    version,
    revision: number('R', 2),
    permissions: number('P', 0),
    encryptMetadata: resolve(dict.get('EncryptMetadata')) !== false,
    owner: bytes('O'),
    ownerKey: bytes('OE'),
    user: bytes('U'),
    userKey: bytes('UE'),
    id,
  };
  const given = resolve((findCryptFilter('StmF') ?? findCryptFilter('StrF'))?.get('Length'));
  const lengths = keyLengths(version, number('Length', version === 4 ? 128 : 40), given);
  const key = findFirst(lengths, (keyBytes) =>
    findFirst([password, ''], (each) => keyForPassword({ ...facts, keyBytes }, each)),
  );
  // In a file that encrypts only attachments, no other data is encrypted.
  if (key === undefined && (streams !== 'none' || strings !== 'none'))
    throw password === ''
      ? new PdfError('PASSWORD_REQUIRED', 'The PDF needs a password.')
      : new PdfError('WRONG_PASSWORD', 'The password does not open the PDF.');
  return encryptionWith(key ?? Buffer.alloc(0), streams, strings);
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the possible key lengths in bytes, the most likely first. Writers give bits, or bytes by mistake; in version
 * 4, also the length of the crypt filter or none.
 */
function keyLengths(version: number, declared: number, ofFilter: PdfValue): number[] {
  const bytes = (length: number): number => (length >= 40 ? length >> 3 : length);
  if (version === 1) return [5];
  if (version !== 4) return [bytes(declared)];
  return [...new Set([...(typeof ofFilter === 'number' ? [bytes(ofFilter)] : []), 16, bytes(declared)])];
}

function encryptionWith(key: Buffer, streams: Method, strings: Method): Encryption {
  return {
    decryptStream: (data, n, g) => decrypt(streams, data, objectKey(streams, key, n, g)),
    decryptString: (data, n, g) => decrypt(strings, data, objectKey(strings, key, n, g)),
    encryptString: (data, n, g) => encrypt(strings, data, objectKey(strings, key, n, g), `${n} ${g} string`),
    encryptStream: (data, n, g) => encrypt(streams, data, objectKey(streams, key, n, g), `${n} ${g} stream`),
  };
}

/** Algorithm 1: the key of one object (ISO 32000-1 section 7.6.2); AES-256 uses the file's key. */
function objectKey(method: Method, key: Buffer, number: number, generation: number): Buffer {
  if (method === 'none' || method === 'aes-256') return key;
  const suffix = Buffer.from([number, number >> 8, number >> 16, generation, generation >> 8]);
  const salt = method === 'aes-128' ? Buffer.from('sAlT', 'latin1') : Buffer.alloc(0);
  const hash = createHash('md5')
    .update(Buffer.concat([key, suffix, salt]))
    .digest();
  return hash.subarray(0, Math.min(16, key.length + 5));
}

function decrypt(method: Method, data: Buffer, key: Buffer): Buffer {
  if (method === 'none') return data;
  if (method === 'rc4') return rc4(key, data);
  // Truncated data is decrypted up to its last whole block.
  const end = data.length - (data.length % 16);
  if (end < 32) return Buffer.alloc(0);
  const decipher = createDecipheriv(`${method}-cbc`, key, data.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([decipher.update(data.subarray(16, end)), decipher.final()]);
  const padding = plain[plain.length - 1] as number;
  return padding >= 1 && padding <= 16 ? plain.subarray(0, plain.length - padding) : plain;
}

function encrypt(method: Method, data: Buffer, key: Buffer, seed: string): Buffer {
  if (method === 'none') return data;
  if (method === 'rc4') return rc4(key, data);
  const vector = createHash('sha256').update(key).update(seed).update(data).digest().subarray(0, 16);
  const cipher = createCipheriv(`${method}-cbc`, key, vector);
  return Buffer.concat([vector, cipher.update(data), cipher.final()]);
}

export function openStandardEncryption(
  trailer: PdfDict,
  resolve: (value: PdfValue | undefined) => PdfValue,
  password?: string,
): Encryption | undefined {
  const dict = resolve(trailer.get('Encrypt'));
  if (!isDict(dict)) return undefined;
  const ids = resolve(trailer.get('ID'));
  const first = Array.isArray(ids) ? resolve(ids[0]) : null;
  return openEncryption(dict, isString(first) ? first.bytes : Buffer.alloc(0), resolve, password);
}
