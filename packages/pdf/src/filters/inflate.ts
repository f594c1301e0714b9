import { inflateRawSync, inflateSync, type ZlibOptions, constants } from 'node:zlib';
import type { PdfLimit } from '../limits.ts';
import { limitExceeded } from '../pdf-error.ts';

const SALVAGE_BYTES = 16_000_000;
const DAMAGE: readonly unknown[] = ['Z_BUF_ERROR', 'Z_DATA_ERROR', 'Z_NEED_DICT', 'Z_STREAM_ERROR'];

/**
 * Inflates zlib data up to the first damage. Truncated data, a wrong checksum and damage in the middle give the data
 * before it, as in other readers.
 * @param cap maximum bytes of output; more throws the error of `limit`
 */
export function inflate(data: Buffer, cap: number, limit: PdfLimit): Buffer {
  const options: ZlibOptions = { maxOutputLength: cap, finishFlush: constants.Z_SYNC_FLUSH };
  try {
    return inflateSync(data, options);
  } catch (error) {
    if (isTooLarge(error)) throw limitExceeded(limit);
    if (!isDamage(error)) throw error;
  }
  const raw = hasZlibHeader(data) ? data.subarray(2) : data;
  const whole = tryInflateRaw(raw, options, limit);
  if (whole !== undefined) return whole;
  if (raw.length > SALVAGE_BYTES) return Buffer.alloc(0);
  return inflateSoundPrefix(raw, options, limit);
}

/** Finds the longest prefix that inflates by bisection, with about 24 attempts for any size. */
function inflateSoundPrefix(raw: Buffer, options: ZlibOptions, limit: PdfLimit): Buffer {
  let best: Buffer = Buffer.alloc(0);
  let [low, high] = [0, raw.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const output = tryInflateRaw(raw.subarray(0, middle), options, limit);
    if (output === undefined) high = middle;
    else [best, low] = [output, middle];
  }
  return best;
}

function tryInflateRaw(raw: Buffer, options: ZlibOptions, limit: PdfLimit): Buffer | undefined {
  try {
    return inflateRawSync(raw, options);
  } catch (error) {
    if (isTooLarge(error)) throw limitExceeded(limit);
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

/** Whether zlib refuses the data. Without memory it inflates no data, sound or not. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DAMAGE.includes(error.code);
}

function hasZlibHeader(data: Buffer): boolean {
  const [method, flags] = [data[0] ?? 0, data[1] ?? 0];
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0;
}
