import { describe, expect, test } from '@jest/globals';
import { MAX_PAGE_WORDS, MAX_WORD_LENGTH } from '@burnish/engine/host';
import { parseWords } from '../../../src/sandbox/text/text-reader.ts';

const HEAD = 'level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext';
const word = (text: string, box = '10\t20\t30\t40', line = '1'): string =>
  `5\t1\t1\t1\t${line}\t1\t${box}\t95.5\t${text}`;

describe('the table of Tesseract', () => {
  test('gives words with their boxes and lines, in order', () => {
    const table = [
      HEAD,
      '4\t1\t1\t1\t1\t0\t1\t2\t300\t40\t-1\t',
      word('one'),
      word('two'),
      word('three', '1\t2\t3\t4', '2'),
      '',
    ];
    expect(parseWords(table.join('\n'))).toEqual([
      { text: 'one', left: 10, top: 20, width: 30, height: 40, continues: true },
      { text: 'two', left: 10, top: 20, width: 30, height: 40 },
      { text: 'three', left: 1, top: 2, width: 3, height: 4 },
    ]);
  });

  test.each([
    ['cut', '5\t1\t1\t1\t1\t1\t10\t20'],
    ['with a negative place', word('a', '-10\t20\t30\t40')],
    ['with a place that is no number', word('a', '1e3\t20\t30\t40')],
    ['with a place beyond any picture', word('a', '10000000\t20\t30\t40')],
    ['without an extent', word('a', '10\t20\t0\t40')],
    ['without text', word('  ')],
    ['of another form', 'Warning: Invalid resolution 0 dpi.'],
  ])('leaves out a row %s', (_what, row) => {
    expect(parseWords([HEAD, row, word('after')].join('\n'))).toMatchObject([{ text: 'after' }]);
  });

  test('shortens a long word, and refuses more words than a page has', () => {
    expect(parseWords(word('x'.repeat(5_000)))![0]!.text).toHaveLength(MAX_WORD_LENGTH);
    expect(parseWords(Array.from({ length: MAX_PAGE_WORDS }, () => word('a')).join('\n'))).toHaveLength(MAX_PAGE_WORDS);
    expect(parseWords(Array.from({ length: 100_000 }, () => word('a')).join('\n'))).toBeUndefined();
  });
});
