import { contentOperators } from '../pages/content-operators.ts';
import type { ScanOfPage } from '../turn/scan-of-page.ts';

/** Operators that paint nothing by themselves (ISO 32000-1 table 51). */
const UNPAINTED = new Set(
  `q Q cm gs ri i w J j M d m l c v y h re W W* n BMC BDC EMC MP DP BX EX
   CS cs SC SCN sc scn G g RG rg K k BT ET Tc Tw Tz TL Tf Tr Ts Td TD Tm T*`.split(/\s+/u),
);
const SHOWS_TEXT = new Set(['Tj', 'TJ', "'", '"']);
const INVISIBLE = 3;

/** Whether the content of a page shows nothing but its scan. Invisible text may lie over it. */
export function showsOnlyScan({ content, draws }: ScanOfPage): boolean {
  let drawn = 0;
  let mode: unknown = 0;
  const saved: unknown[] = [];
  for (const { name, operands } of contentOperators(content())) {
    if (name === 'q') saved.push(mode);
    else if (name === 'Q') mode = saved.pop();
    else if (name === 'Tr') mode = operands.at(-1);
    if (name === 'Do') drawn += 1;
    else if (SHOWS_TEXT.has(name) ? mode !== INVISIBLE : !UNPAINTED.has(name)) return false;
  }
  return drawn === draws.length;
}
