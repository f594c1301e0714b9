import { createCipheriv, timingSafeEqual } from 'node:crypto';

/** Bytes of a block, and of a tag */
const BLOCK = 16;

/** Encryption that gives equal bytes for equal input and reveals nothing else, bound to associated bytes. */
export interface AesSiv {
  /** @returns tag and encrypted bytes */
  seal(associated: Buffer, plain: Buffer): Buffer;
  /** @returns undefined for bytes that `seal` did not return for these associated bytes */
  open(associated: Buffer, sealed: Buffer): Buffer | undefined;
}

/**
 * AES-SIV (RFC 5297) from the ciphers of `node:crypto`, which has none of its own.
 * @param key 32 bytes for AES-128, 64 for AES-256
 */
export function createAesSiv(key: Buffer): AesSiv {
  const half = key.byteLength / 2;
  const mac = createCmac(key.subarray(0, half));
  const start = doubled(mac(Buffer.alloc(BLOCK)));
  const tagOf = (associated: Buffer, plain: Buffer): Buffer => {
    const mixed = xored(start, mac(associated));
    if (plain.byteLength >= BLOCK) return mac(withEnd(plain, mixed));
    return mac(xored(doubled(mixed), padded(plain)));
  };
  // Encryption and decryption are the same: a stream that the tag determines.
  const encrypt = (tag: Buffer, bytes: Buffer): Buffer => {
    const counter = Buffer.from(tag);
    counter[8]! &= 0x7f;
    counter[12]! &= 0x7f;
    return createCipheriv(`aes-${half * 8}-ctr`, key.subarray(half), counter).update(bytes);
  };
  return {
    seal(associated, plain) {
      const tag = tagOf(associated, plain);
      return Buffer.concat([tag, encrypt(tag, plain)]);
    },
    open(associated, sealed) {
      if (sealed.byteLength < BLOCK) return undefined;
      const tag = sealed.subarray(0, BLOCK);
      const plain = encrypt(tag, sealed.subarray(BLOCK));
      return timingSafeEqual(tag, tagOf(associated, plain)) ? plain : undefined;
    },
  };
}

/** AES-CMAC (RFC 4493): the last block of a CBC encryption, after a change of the message's last block. */
function createCmac(key: Buffer): (message: Buffer) => Buffer {
  const none = Buffer.alloc(BLOCK);
  const encrypt = (message: Buffer): Buffer =>
    createCipheriv(`aes-${key.byteLength * 8}-cbc`, key, none)
      .setAutoPadding(false)
      .update(message)
      .subarray(-BLOCK);
  const whole = doubled(encrypt(none));
  const partial = doubled(whole);
  return (message) => {
    const rest = message.byteLength % BLOCK;
    if (rest === 0 && message.byteLength > 0) return encrypt(withEnd(message, whole));
    const start = message.byteLength - rest;
    const last = xored(partial, padded(message.subarray(start)));
    return encrypt(Buffer.concat([message.subarray(0, start), last]));
  };
}

/** Doubles a block in the field GF(2^128). */
function doubled(block: Buffer): Buffer {
  const result = Buffer.alloc(BLOCK);
  for (let i = 0; i < BLOCK; i += 1) result[i] = (block[i]! << 1) | ((block[i + 1] ?? 0) >> 7);
  // Without a branch, so that the time reveals nothing of a key.
  result[BLOCK - 1]! ^= 0x87 & -(block[0]! >> 7);
  return result;
}

function xored(a: Buffer, b: Buffer): Buffer {
  const result = Buffer.alloc(BLOCK);
  for (let i = 0; i < BLOCK; i += 1) result[i] = a[i]! ^ b[i]!;
  return result;
}

/** Returns a message whose last block is mixed with another. */
function withEnd(message: Buffer, block: Buffer): Buffer {
  const result = Buffer.from(message);
  const end = message.byteLength - BLOCK;
  for (let i = 0; i < BLOCK; i += 1) result[end + i]! ^= block[i]!;
  return result;
}

/** Fills a part of a block: one bit, then zeros. */
function padded(part: Buffer): Buffer {
  const result = Buffer.alloc(BLOCK);
  part.copy(result);
  result[part.byteLength] = 0x80;
  return result;
}
