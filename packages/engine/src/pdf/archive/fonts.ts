import { isName, type PdfDict } from '@burnish/pdf';
import { arrayOf, dictOf, nameOf, type ArchivePass } from './archive-pass.ts';
import type { FontUse } from './font-uses.ts';
import { isProved } from './fonts/proof.ts';

const FILES = ['FontFile', 'FontFile2', 'FontFile3'];

/** Checks the fonts that a file shows text with (ISO 19005-2 section 6.2.11). Invisible text needs no embedded font. */
export function checkFonts(pass: ArchivePass): void {
  for (const use of pass.fonts.all()) {
    const obstacle = obstacleOf(pass, use);
    if (obstacle === undefined) continue;
    for (const page of use.pages) pass.obstacles.add(obstacle, page);
  }
}

function obstacleOf(pass: ArchivePass, use: FontUse): 'font-not-embedded' | 'font-unproved' | undefined {
  const { font, shown } = use;
  if (nameOf(pass, font.get('Subtype')) === 'Type3') return hasAllGlyphs(pass, use) ? undefined : 'font-unproved';
  if (isEmbedded(pass, font)) return isProved(pass, use) ? undefined : 'font-unproved';
  return shown.size === 0 ? undefined : 'font-not-embedded';
}

function isEmbedded(pass: ArchivePass, font: PdfDict): boolean {
  const [descendant] = arrayOf(pass, font.get('DescendantFonts'));
  const own = descendant === undefined ? font : dictOf(pass, descendant);
  const descriptor = own && dictOf(pass, own.get('FontDescriptor'));
  return descriptor !== undefined && FILES.some((key) => descriptor.has(key));
}

/** Whether a Type 3 font has a glyph for each code that is shown (section 6.2.11.8). */
function hasAllGlyphs(pass: ArchivePass, { font, shown, hidden }: FontUse): boolean {
  const glyphs = dictOf(pass, font.get('CharProcs'));
  const encoding = dictOf(pass, font.get('Encoding'));
  const names = new Map<number, string>();
  let code = 0;
  for (const each of encoding ? arrayOf(pass, encoding.get('Differences')) : []) {
    if (typeof each === 'number') code = each;
    else if (isName(each)) {
      names.set(code, each.value);
      code += 1;
    }
  }
  return [...shown, ...hidden].every((codes) =>
    [...Buffer.from(codes, 'latin1')].every(
      (each) => names.get(each) !== '.notdef' && glyphs?.has(names.get(each) ?? ''),
    ),
  );
}
