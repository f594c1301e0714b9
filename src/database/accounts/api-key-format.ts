import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 256 bits need 43 digits of base 62. */
const DIGITS = 43;
const SHOWN = 8;

/** A new key: `bk_` and 256 random bits in base 62. */
export function mintApiKey(): string {
  let value = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let text = '';
  for (let i = 0; i < DIGITS; i += 1) {
    text = ALPHABET[Number(value % 62n)]! + text;
    value /= 62n;
  }
  return `bk_${text}`;
}

/**
 * What the database keeps of a key, hex. A plain SHA-256 is right here: a slow, salted hash protects what people choose
 * and others can guess, and 256 random bits can be neither guessed nor listed beforehand; every request pays for it.
 */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** The start of a key, enough for a person to tell keys apart and useless for anything else. */
export function apiKeyPrefix(key: string): string {
  return key.slice(0, Math.min(SHOWN, Math.floor(key.length / 4)));
}
