import { describe, expect, test } from '@jest/globals';
import { fitWords } from '../../src/pdf/text/fit-words.ts';
import type { Mark } from '../../src/pdf/text/scan-marks.ts';

/** Letters of 10 × 20 pixels, 14 apart, in a line. */
const letters = (count: number, left: number, top: number): Mark[] =>
  Array.from({ length: count }, (_, k) => ({ left: left + 14 * k, top, width: 10, height: 20 }));
const word = { text: 'word', left: 100, top: 100, width: 52, height: 20 };

describe('the box of a word', () => {
  test('takes in the dot above it, the comma below it and the tails of its letters', () => {
    const dot = { left: 103, top: 92, width: 4, height: 4 };
    const tail = { left: 142, top: 100, width: 10, height: 28 };
    const comma = { left: 147, top: 122, width: 4, height: 6 };
    expect(fitWords([word], [dot, ...letters(3, 100, 100), tail, comma])).toEqual([{ ...word, top: 92, height: 36 }]);
  });

  test('leaves out the lines above and below that it reaches', () => {
    const marks = [62, 100, 138].flatMap((top) => letters(4, 100, top));
    expect(fitWords([{ ...word, top: 70, height: 80 }], marks)).toEqual([word]);
  });

  test('leaves the letters of a narrower box to it', () => {
    const wide = { ...word, text: 'wide', width: 120 };
    const other = { ...word, text: 'other', left: 170, width: 60 };
    const marks = [...letters(4, 100, 100), ...letters(4, 170, 100)];
    expect(fitWords([wide, other], marks)).toEqual([
      { ...wide, width: 52 },
      { ...other, width: 52 },
    ]);
  });

  test('stays where a rule or nothing is below it, and where little of its ink is known', () => {
    const rule = { left: 20, top: 118, width: 400, height: 4 };
    expect(fitWords([word], [...letters(4, 100, 100), rule])).toEqual([word]);
    expect(fitWords([word], [rule])).toEqual([word]);
    expect(fitWords([word], letters(1, 100, 100))).toEqual([word]);
    expect(fitWords([word], [])).toEqual([word]);
  });
});
