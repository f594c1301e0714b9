export type IdPrefix = 'acc' | 'upl' | 'enh' | 'evt' | 'whk' | 'key' | 'dlv' | 'bat' | 'bkt';

const ID_AFTER_PREFIX = /^[0-9a-z]{26}$/;
/** Crockford's Base32 in lower case. The texts sort in the order of their bytes. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Creates an id: prefix, 48 bits of time in milliseconds so that ids sort by time, and 80 random bits. Workflows have no `crypto`,
 * and get their ids from their commands.
 */
export function newId(prefix: IdPrefix, epochMs: number): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(epochMs) << 16n);
  crypto.getRandomValues(bytes.subarray(6));
  return `${prefix}_${base32(bytes)}`;
}

/** Derives an id from a digest of at least 16 bytes. The same digest yields the same id, which makes a workflow start exactly-once. */
export function derivedId(prefix: IdPrefix, digest: Uint8Array): string {
  return `${prefix}_${base32(digest.subarray(0, 16))}`;
}

/**
 * The id of the `index`th of at most 32 records that one request makes. Their ids sort in the order of the request.
 * @param first any id of the request
 */
export const nthId = (first: string, index: number): string => `${first.slice(0, -1)}${ALPHABET[index]!}`;

/** Whether a text has the form of an id. A malformed id is reported as unknown, and never reaches the database. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && ID_AFTER_PREFIX.test(text.slice(prefix.length + 1));
}

/** Encodes 16 bytes as 26 characters. */
function base32(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = '';
  for (let i = 0; i < 26; i += 1) {
    text = ALPHABET[Number(value & 31n)]! + text;
    value >>= 5n;
  }
  return text;
}
