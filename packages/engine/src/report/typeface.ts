import { readFile } from 'node:fs/promises';
import { StandardFonts, type PDFDocument, type PDFFont } from '@cantoo/pdf-lib';
import bidiFactory from 'bidi-js';
import { FONT_FILES, fontFile } from './font-files.ts';

/** Characters without a shape of their own, such as those that override the direction. A reader of a name must see them. */
const INVISIBLE = /(?![\u200C\u200D])[\p{Cf}\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u;
/** Scripts whose glyphs the shaping itself puts into the order of their places. */
const SHAPED_RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** A part of a line in one font. */
export interface Run {
  text: string;
  font: PDFFont;
}

/** The fonts of a document: Helvetica, and embedded ones for characters beyond the Windows code page 1252. */
export interface Typeface {
  /** Joins white space, and writes a character that no font has as its code point, such as `[U+E000]`. */
  toWritable(text: string): string;
  /** The parts of a line from left to right, by the Unicode Bidirectional Algorithm (UAX 9) in a line from left to right. */
  toRuns(line: string, bold: boolean): Run[];
  /** Points */
  measure(line: string, size: number, bold: boolean): number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
// Node.js imports its ES module, whose default is the function; its types are those of a CommonJS module.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();

/** Splits a text into the characters that a reader sees: `é`, also with a combining accent, or an emoji of several code points. */
export const toCharacters = (text: string): string[] =>
  // Word by word, since each segment of V8 holds a copy of the whole text that it belongs to.
  text.split(/(?= )/).flatMap((word) => [...segmenter.segment(word)].map(({ segment }) => segment));

/** @param text with all characters that the document will show */
export async function createTypeface(document: PDFDocument, text: string): Promise<Typeface> {
  const [plain, bold] = [
    await document.embedFont(StandardFonts.Helvetica),
    await document.embedFont(StandardFonts.HelveticaBold),
  ];
  const standard = new Set(plain.getCharacterSet());
  const isStandard = (character: string): boolean => [...character].every((each) => standard.has(each.codePointAt(0)!));
  const others = new Set(toCharacters(normalized(text)).filter((character) => !isStandard(character)));
  const embedded = await embedFonts(document, others);

  const chooseFont = (character: string, isBold: boolean): PDFFont =>
    embedded.get(character) ?? (isBold ? bold : plain);

  function toRuns(line: string, isBold: boolean): Run[] {
    const { levels } = bidi.getEmbeddingLevels(line, 'ltr');
    const runs: (Run & { level: number })[] = [];
    for (const { segment, index } of segmenter.segment(line)) {
      const level = levels[index] ?? 0;
      const mirrored = level % 2 === 1 ? bidi.getMirroredCharacter(segment) : null;
      const font = chooseFont(segment, isBold);
      const last = runs.at(-1);
      if (last?.font === font && last.level === level) last.text += mirrored ?? segment;
      else runs.push({ text: mirrored ?? segment, font, level });
    }
    return placed(runs);
  }

  return {
    toWritable: (given) =>
      toCharacters(normalized(given))
        .map((character) => (isStandard(character) || embedded.has(character) ? character : codePoints(character)))
        .join(''),
    toRuns,
    measure: (line, size, isBold) =>
      toRuns(line, isBold).reduce((sum, run) => sum + run.font.widthOfTextAtSize(run.text, size), 0),
  };
}

/** The selectors of text and emoji form have no glyph in these fonts. */
const normalized = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\uFE0E\uFE0F]/g, '')
    .replace(/\s+/g, ' ');

const codePoints = (character: string): string =>
  [...character].map((each) => `[U+${each.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`).join('');

/** Embeds the fonts that these characters need. @returns a font for each character that has one */
async function embedFonts(document: PDFDocument, characters: ReadonlySet<string>): Promise<Map<string, PDFFont>> {
  const found = new Map<string, PDFFont>();
  const missing = new Set([...characters].filter((character) => !INVISIBLE.test(character)));
  if (missing.size === 0) return found;
  const fontkit = await import('fontkit');
  document.registerFontkit(fontkit);
  for (const file of FONT_FILES) {
    if (missing.size === 0) break;
    const bytes = await readFile(fontFile(file));
    const font = fontkit.create(bytes);
    if (!('hasGlyphForCodePoint' in font)) throw new TypeError(`${file} contains several fonts.`);
    const covered = [...missing].filter((character) =>
      [...character].every((each) => font.hasGlyphForCodePoint(each.codePointAt(0)!)),
    );
    if (covered.length === 0) continue;
    const embedded = await document.embedFont(bytes, { subset: true });
    for (const character of covered) {
      found.set(character, embedded);
      missing.delete(character);
    }
  }
  return found;
}

/** Puts runs into the order of their places (UAX 9, rule L2). */
function placed(runs: readonly (Run & { level: number })[]): Run[] {
  let ordered = runs.map((run) =>
    run.level % 2 === 1 && !SHAPED_RIGHT_TO_LEFT.test(run.text)
      ? { ...run, text: toCharacters(run.text).reverse().join('') }
      : run,
  );
  for (let level = Math.max(0, ...runs.map((run) => run.level)); level > 0; level -= 1) {
    const next: typeof ordered = [];
    for (let start = 0; start < ordered.length;) {
      let end = start;
      while (end < ordered.length && ordered[end]!.level >= level) end += 1;
      next.push(...(end === start ? ordered.slice(start, (end += 1)) : ordered.slice(start, end).reverse()));
      start = end;
    }
    ordered = next;
  }
  return ordered;
}
