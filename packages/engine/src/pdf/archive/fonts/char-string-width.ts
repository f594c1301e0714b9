import { UnreadableFont } from './glyph-source.ts';

const MAX_STEPS = 10_000;
const MAX_DEPTH = 10;
/** Operators that begin the outline, with the number of operands besides a width; undefined: an even number. */
const FIRST: Record<number, number | undefined> = {
  4: 1,
  21: 2,
  22: 1,
  14: 0,
  1: undefined,
  3: undefined,
  18: undefined,
  19: undefined,
  20: undefined,
  23: undefined,
};

export interface Subroutines {
  own: readonly Buffer[];
  global: readonly Buffer[];
}

const biasOf = ({ length }: readonly Buffer[]): number => (length < 1240 ? 107 : length < 33_900 ? 1131 : 32_768);

/**
 * Returns the difference of a width from the nominal one, which a glyph of Type 2 has before its first operator (Adobe technical
 * note 5177 section 3.1).
 * @returns undefined for the default width
 */
export function widthDifference(glyph: Buffer, { own, global }: Subroutines): number | undefined {
  const stack: number[] = [];
  let steps = 0;

  /** @returns whether the outline has begun */
  function run(code: Buffer, depth: number): boolean {
    for (let at = 0; at < code.length;) {
      if ((steps += 1) > MAX_STEPS || depth > MAX_DEPTH) throw new UnreadableFont('A glyph has too many steps.');
      const byte = code[at]!;
      at += 1;
      if (byte >= 32 || byte === 28) {
        const [value, size] = numberAt(code, at - 1);
        stack.push(value);
        at += size - 1;
      } else if (byte === 10 || byte === 29) {
        const list = byte === 10 ? own : global;
        const called = list[(stack.pop() ?? NaN) + biasOf(list)];
        if (called === undefined) throw new UnreadableFont('A glyph calls a missing subroutine.');
        if (run(called, depth + 1)) return true;
      } else if (byte === 11) return false;
      else if (byte in FIRST) {
        outline = byte;
        return true;
      } else throw new UnreadableFont('A glyph begins with another operator.');
    }
    return false;
  }

  let outline: number | undefined;
  if (!run(glyph, 0) || outline === undefined) throw new UnreadableFont('A glyph has no end.');
  const usual = FIRST[outline];
  // `endchar` may have four operands of an accented letter.
  const hasWidth =
    usual === undefined ? stack.length % 2 === 1 : outline === 14 ? stack.length % 4 === 1 : stack.length > usual;
  return hasWidth ? stack[0] : undefined;
}

function numberAt(code: Buffer, at: number): [value: number, size: number] {
  const byte = code[at]!;
  if (byte === 28) return [code.readInt16BE(at + 1), 3];
  if (byte < 247) return [byte - 139, 1];
  if (byte < 251) return [(byte - 247) * 256 + code.readUInt8(at + 1) + 108, 2];
  if (byte < 255) return [-(byte - 251) * 256 - code.readUInt8(at + 1) - 108, 2];
  return [code.readInt32BE(at + 1) / 65_536, 5];
}
