import { isName, isString, type PdfValue } from '@burnish/pdf';
import { contentOperators } from './content-operators.ts';

/** Operators that paint nothing by themselves (ISO 32000-1 table 51). */
const UNPAINTED = new Set(
  `q Q cm gs ri i w J j M d m l c v y h re W W* n BMC BDC EMC MP DP BX EX
   CS cs SC SCN sc scn G g RG rg K k BT ET Tc Tw Tz TL Tf Tr Ts Td TD Tm T*`.split(/\s+/u),
);
export const SHOWS_TEXT = new Set(['Tj', 'TJ', "'", '"']);
const INVISIBLE = 3;

/** What the content of a page paints. */
export interface PaintedObjects {
  /** Names of the external objects, in order */
  objects: string[];
  /** Invisible text lies over them */
  hasHiddenText: boolean;
}

/** Returns the external objects that a content paints; undefined where it paints anything else that is seen. @throws SyntaxFault */
export function paintedObjects(content: Buffer): PaintedObjects | undefined {
  const objects: string[] = [];
  let hasHiddenText = false;
  let mode: unknown = 0;
  const saved: unknown[] = [];
  for (const { name, operands } of contentOperators(content)) {
    const last = operands.at(-1);
    if (name === 'q') saved.push(mode);
    else if (name === 'Q') mode = saved.pop();
    else if (name === 'Tr') mode = last;
    if (name === 'Do') objects.push(isName(last) ? last.value : '');
    else if (SHOWS_TEXT.has(name)) {
      if (mode !== INVISIBLE) return undefined;
      hasHiddenText ||= last !== undefined && hasString(last);
    } else if (!UNPAINTED.has(name)) return undefined;
  }
  return { objects, hasHiddenText };
}

/** Whether an operand of text has characters. */
export function hasString(value: PdfValue): boolean {
  if (isString(value)) return value.bytes.length > 0;
  return Array.isArray(value) && value.some(hasString);
}
