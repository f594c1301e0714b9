import { hexValue, isSpace } from '../syntax/characters.ts';
import type { PdfLimit } from '../limits.ts';
import { limitExceeded } from '../pdf-error.ts';

/** ASCIIHexDecode (ISO 32000-1 section 7.4.2). */
export function decodeAsciiHex(data: Buffer): Buffer {
  const out = Buffer.alloc((data.length + 1) >> 1);
  let digits = 0;
  for (const byte of data) {
    if (byte === 0x3e) break;
    const digit = hexValue(byte);
    if (digit < 0) continue;
    out[digits >> 1] = (out[digits >> 1] as number) | (digits % 2 === 0 ? digit << 4 : digit);
    digits += 1;
  }
  return out.subarray(0, (digits + 1) >> 1);
}

/** ASCII85Decode (ISO 32000-1 section 7.4.3). */
export function decodeAscii85(data: Buffer): Buffer {
  const out = Buffer.alloc(data.length * 4 + 4);
  let [length, count, value] = [0, 0, 0];
  for (const byte of data) {
    if (byte === 0x7e) break;
    if (isSpace(byte)) continue;
    if (byte === 0x7a && count === 0) {
      length = out.writeUInt32BE(0, length);
    } else if (byte >= 0x21 && byte <= 0x75) {
      value = value * 85 + byte - 0x21;
      count += 1;
      if (count === 5) {
        length = out.writeUInt32BE(value % 0x1_0000_0000, length);
        [count, value] = [0, 0];
      }
    }
  }
  if (count > 1) {
    for (let pad = count; pad < 5; pad += 1) value = value * 85 + 84;
    out.writeUInt32BE(value % 0x1_0000_0000, length);
    length += count - 1;
  }
  return Buffer.from(out.subarray(0, length));
}

/** RunLengthDecode (ISO 32000-1 section 7.4.5). */
export function decodeRunLength(data: Buffer, cap: number, limit: PdfLimit): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < data.length;) {
    const count = data[at] as number;
    if (count === 128) break;
    const part = count < 128 ? data.subarray(at + 1, at + 2 + count) : Buffer.alloc(257 - count, data[at + 1] ?? 0);
    at += count < 128 ? count + 2 : 2;
    parts.push(part);
    length += part.length;
    if (length > cap) throw limitExceeded(limit);
  }
  return Buffer.concat(parts);
}
