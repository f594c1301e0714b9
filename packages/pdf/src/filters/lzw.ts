import type { PdfLimit } from '../limits.ts';
import { limitExceeded } from '../pdf-error.ts';

const CLEAR = 256;
const END = 257;

/**
 * LZW as in TIFF, codes of 9 to 12 bits, most significant bit first (ISO 32000-1 section 7.4.4).
 * @param earlyChange whether the code width grows one entry early, the default
 * @param cap maximum bytes of output; more throws the error of `limit`
 */
export function decodeLzw(data: Buffer, earlyChange: boolean, cap: number, limit: PdfLimit): Buffer {
  const prefix = new Uint16Array(4096);
  const suffix = new Uint8Array(4096);
  const lengths = new Uint16Array(4096);
  for (let code = 0; code < 256; code += 1) [suffix[code], lengths[code]] = [code, 1];
  const early = earlyChange ? 1 : 0;
  let out = Buffer.allocUnsafe(Math.min(cap, Math.max(1024, data.length * 4)));
  let [length, next, width, previous, bits, held] = [0, 258, 9, -1, 0, 0];

  for (const byte of data) {
    held = ((held << 8) | byte) & 0xffffff;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >> bits) & ((1 << width) - 1);
    if (code === END) break;
    if (code === CLEAR) {
      [next, width, previous] = [258, 9, -1];
      continue;
    }
    // The next free code stands for the previous sequence and its first byte. Any other unknown code is damage.
    if (code > next || (code === next && previous < 0)) break;
    if (previous >= 0 && next < 4096) {
      prefix[next] = previous;
      lengths[next] = (lengths[previous] as number) + 1;
      suffix[next] = firstByte(prefix, suffix, lengths, code === next ? previous : code);
      next += 1;
    }
    const run = lengths[code] as number;
    if (length + run > cap) throw limitExceeded(limit);
    if (length + run > out.length) out = Buffer.concat([out], Math.min(cap, out.length * 2 + run));
    for (let at = length + run - 1, walk = code; at >= length; at -= 1, walk = prefix[walk] as number)
      out[at] = suffix[walk] as number;
    length += run;
    previous = code;
    if (next + early >= 1 << width && width < 12) width += 1;
  }
  return out.subarray(0, length);
}

function firstByte(prefix: Uint16Array, suffix: Uint8Array, lengths: Uint16Array, code: number): number {
  let walk = code;
  while ((lengths[walk] as number) > 1) walk = prefix[walk] as number;
  return suffix[walk] as number;
}
