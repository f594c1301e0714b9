/** Character classes of ISO 32000-1 section 7.2.2, by byte: 1 white space, 2 delimiter, 0 regular. */
export const CHARACTER_CLASS = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) CHARACTER_CLASS[byte] = 1;
for (const character of '()<>[]{}/%') CHARACTER_CLASS[character.charCodeAt(0)] = 2;

export const isSpace = (byte: number | undefined): boolean => byte !== undefined && CHARACTER_CLASS[byte] === 1;
export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Returns the value of a hexadecimal digit, or -1. */
export function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

export function toNumber(bytes: Buffer, start: number, stop: number): number | undefined {
  let at = start;
  let sign = 1;
  for (; at < stop && (bytes[at] === 0x2b || bytes[at] === 0x2d); at += 1) if (bytes[at] === 0x2d) sign = -1;
  let value = 0;
  let digits = 0;
  for (; at < stop && isDigit(bytes[at]); at += 1, digits += 1) value = value * 10 + (bytes[at] as number) - 0x30;
  if (bytes[at] === 0x2e && at < stop) {
    const point = at;
    let scale = 1;
    for (at += 1; at < stop && isDigit(bytes[at]); at += 1, digits += 1) {
      if (at - point > 17) continue;
      value = value * 10 + (bytes[at] as number) - 0x30;
      scale *= 10;
    }
    value /= scale;
    if (digits === 0) return at === stop ? 0 : undefined;
  }
  if (digits === 0) return at === stop ? 0 : undefined;
  return sign * value;
}
