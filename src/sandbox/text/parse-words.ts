import { MAX_PAGE_WORDS, MAX_WORD_LENGTH, type PageWord } from '@burnish/engine/host';

/** Level of a word in the table of Tesseract. */
const WORD = '5';

/**
 * Reads the table that Tesseract prints (`tsv`): level, page, block, paragraph, line, word, left, top, width, height, confidence
 * and text, by tabs. Lines of another form count as absent.
 * @returns undefined for more words than a page can have
 */
export function parseWords(table: string): PageWord[] | undefined {
  const words: PageWord[] = [];
  let line = '';
  for (const row of table.split('\n')) {
    const [level, page, block, paragraph, lineNumber, , left, top, width, height, , ...rest] = row.split('\t');
    if (level !== WORD) continue;
    const box = [left, top, width, height].map((value) => (/^\d{1,6}$/.test(value ?? '') ? Number(value) : NaN));
    const text = rest.join(' ').trim().slice(0, MAX_WORD_LENGTH);
    if (text === '' || box.some(Number.isNaN) || box[2] === 0 || box[3] === 0) continue;
    if (words.length >= MAX_PAGE_WORDS) return undefined;
    const place = [page, block, paragraph, lineNumber].join(' ');
    if (place === line) words.at(-1)!.continues = true;
    line = place;
    words.push({ text, left: box[0]!, top: box[1]!, width: box[2]!, height: box[3]! });
  }
  return words;
}
