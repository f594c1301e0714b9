import { describe, expect, test } from '@jest/globals';
import { layLines } from '../../src/pdf/text/lay-lines.ts';
import type { PageWord } from '../../src/pdf/text/page-words.ts';

/** Heights of letters above and below a baseline for an em of 100 pixels. */
const [TALL, LOW, BELOW] = [70, 47, 20];

/** A word of 40 pixels a letter whose box ends at its ink. @param em pixels @param base its baseline, pixels from the top */
function word(text: string, left: number, base: number, em = 100): PageWord {
  const above = ((/[A-Zbdfhkl]/u.test(text) ? TALL : LOW) * em) / 100;
  const below = /[gpqy,]/u.test(text) ? (BELOW * em) / 100 : 0;
  return { text, left, top: base - above, width: 40 * text.length, height: above + below };
}

const line = (texts: string, base: number, { em = 100, slope = 0, left = 100 } = {}): PageWord[] => {
  let at = left;
  const words = texts.split(' ').map((text) => {
    const from = at;
    at += 40 * text.length + 30;
    return word(text, from, base + slope * (from + 20 * text.length), em);
  });
  return words.map((each, k) => (k + 1 < words.length ? { ...each, continues: true } : each));
};

describe('the words of a line', () => {
  test('have one baseline and one size, whatever letters they have', () => {
    const [only, ...others] = layLines(line('on every page, a Dog may run', 400));
    expect(others).toEqual([]);
    expect(only!.words).toHaveLength(7);
    expect(only!.baseline).toEqual({ start: 400, slope: 0 });
    expect(only!.size).toBeCloseTo(100, 0);
  });

  test('follow a skewed line, and a short one has the skew of its page', () => {
    const laid = layLines([
      ...line('see his old red hens run home from the barn', 400, { slope: 0.02 }),
      ...line('Dine on a bus', 600, { slope: 0.02, left: 500 }),
    ]);
    expect(laid.map(({ baseline }) => baseline.slope)).toEqual([expect.closeTo(0.02, 4), expect.closeTo(0.02, 4)]);
    expect(laid.map(({ baseline }) => baseline.start)).toEqual([expect.closeTo(400, 0), expect.closeTo(600, 0)]);
  });

  test('stay in their order, each on one line', () => {
    const words = [...line('one two', 400), ...line('three', 400, { left: 900 }), ...line('four five six', 520)];
    expect(layLines(words).map((each) => each.words.map(({ text }) => text).join(' '))).toEqual([
      'one two',
      'three',
      'four five six',
    ]);
  });

  test('are lines of their own where they stand above each other, as on a turned line', () => {
    const upwards = ['on', 'its', 'side'].map((text, k) => ({ ...word(text, 100, 900 - 200 * k), continues: k < 2 }));
    expect(layLines(upwards).map(({ words }) => words.length)).toEqual([1, 1, 1]);
  });
});

describe('the size of lines', () => {
  test('is one for the text of a page, and a heading keeps its own', () => {
    const sizes = layLines([
      ...line('A Heading', 200, { em: 150 }),
      ...line('The quick brown fox jumps over', 400, { em: 103 }),
      ...line('some one saw us near an acre', 520, { em: 97 }),
      ...line('lazy dogs, and then', 640, { em: 100 }),
      ...line('a note', 900, { em: 75 }),
    ]).map(({ size }) => Math.round(size));
    expect(sizes).toEqual([150, sizes[1], sizes[1], sizes[1], 75]);
  });

  test('is that of the ink where its letters tell none', () => {
    const dash = { text: '—', left: 100, top: 370, width: 60, height: 5 };
    const specks = { text: 'Il', left: 300, top: 100, width: 900, height: 400 };
    for (const each of [dash, specks]) {
      const size = layLines([each])[0]!.size;
      expect(size / each.height).toBeGreaterThan(0.6);
      expect(size / each.height).toBeLessThan(4);
    }
  });
});

test('a page without words has no lines', () => expect(layLines([])).toEqual([]));
