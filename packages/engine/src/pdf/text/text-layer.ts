import { multiply, type Matrix } from '../pages/matrix.ts';
import type { PageWord } from './page-words.ts';
import { type TextFont, GLYPH_WIDTH } from './text-font.ts';

/** Decimals of a length in points, and of a scale: a word of 1,000 pixels ends within a tenth of a point. */
const [PLACE_DECIMALS, SCALE_DECIMALS] = [3, 5];

/**
 * Writes words as invisible text (rendering mode 3, ISO 32000-1 section 9.3.6). Each word fills its box: the font has one em
 * above its baseline and glyphs of one width, and the text matrix scales both.
 * @param matrix from pixels of the picture to the user space of the page
 */
export function textContent(words: readonly PageWord[], matrix: Matrix, fontName: string, font: TextFont): string {
  const lines = words.map(({ text, left, top, width, height, continues }) => {
    const characters = [...text];
    const across = width / (characters.length * GLYPH_WIDTH);
    const placed = multiply([across, 0, 0, -height, left, top + height], matrix);
    const codes = [...characters, ...(continues ? [' '] : [])].map((character) => font.codeOf(character)).join('');
    return `${inText(placed)} Tm <${codes}> Tj`;
  });
  return ['BT', '3 Tr', `/${fontName} 1 Tf`, ...lines, 'ET'].join('\n');
}

const inText = (matrix: Matrix): string =>
  matrix.map((value, k) => decimal(value, k < 4 ? SCALE_DECIMALS : PLACE_DECIMALS)).join(' ');

/** Writes a number without an exponent. */
function decimal(value: number, decimals: number): string {
  const text = value.toFixed(decimals).replace(/\.?0+$/u, '');
  return text === '-0' ? '0' : text;
}
