import { hexValue, isSpace } from './characters.ts';

const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

/**
 * Reads a literal string between its outer parentheses (ISO 32000-1 section 7.3.4.2).
 * @param from the byte after the opening parenthesis
 * @returns the bytes and the position after the closing parenthesis, or undefined for an unterminated string
 */
export function readLiteralString(bytes: Buffer, from: number): { value: Buffer; end: number } | undefined {
  const end = endOfLiteralString(bytes, from);
  if (end === undefined) return undefined;
  const value = Buffer.allocUnsafe(end - from);
  let length = 0;
  for (let at = from; at < end; at += 1) {
    let byte = bytes[at] as number;
    if (byte === 0x5c) {
      at += 1;
      const next = bytes[at] as number;
      if (next >= 0x30 && next <= 0x37) {
        byte = 0;
        for (
          let digits = 0;
          digits < 3 && (bytes[at] as number) >= 0x30 && (bytes[at] as number) <= 0x37;
          digits += 1, at += 1
        ) {
          byte = byte * 8 + (bytes[at] as number) - 0x30;
        }
        at -= 1;
      } else if (next === 13 || next === 10) {
        if (next === 13 && bytes[at + 1] === 10) at += 1;
        continue;
      } else {
        byte = ESCAPES[String.fromCharCode(next)] ?? next;
      }
    } else if (byte === 13) {
      byte = 10;
      if (bytes[at + 1] === 10) at += 1;
    }
    value[length] = byte & 0xff;
    length += 1;
  }
  return { value: value.subarray(0, length), end: end + 1 };
}

function endOfLiteralString(bytes: Buffer, from: number): number | undefined {
  let open = 1;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x5c) at += 1;
    else if (byte === 0x28) open += 1;
    else if (byte === 0x29 && (open -= 1) === 0) return at;
  }
  return undefined;
}

/** Reads a hexadecimal string after its `<`; bytes that are not digits are ignored, as in other readers. */
export function readHexString(bytes: Buffer, from: number): { value: Buffer; end: number } | undefined {
  const end = bytes.indexOf(0x3e, from);
  if (end < 0) return undefined;
  const value = Buffer.alloc((end - from + 1) >> 1);
  let digits = 0;
  for (let at = from; at < end; at += 1) {
    if (isSpace(bytes[at])) continue;
    const digit = hexValue(bytes[at]);
    if (digit < 0) continue;
    value[digits >> 1] = (value[digits >> 1] as number) | (digits % 2 === 0 ? digit << 4 : digit);
    digits += 1;
  }
  return { value: value.subarray(0, (digits + 1) >> 1), end: end + 1 };
}
