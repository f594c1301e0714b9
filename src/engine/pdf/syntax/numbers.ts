import { isDigit } from './characters.ts';

/** A number as readers take it: repeated signs count once, and it ends at whatever no number may hold. */
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
