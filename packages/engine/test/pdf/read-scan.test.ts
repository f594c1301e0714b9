import { describe, expect, test } from '@jest/globals';
import type { QuarterTurns } from '../../src/image/quarter-turn.ts';
import { readScan, type DrawnScan, type ReadWords, type ScanToRead } from '../../src/pdf/text/page-words.ts';

const WORDS = [{ text: 'word', left: 1, top: 2, width: 3, height: 4 }];

/** A scan of 40 × 30 pixels that lies on its side: a quarter turn makes it upright. */
function read(answers: Awaited<ReturnType<ReadWords>>[], scan: Partial<DrawnScan> = {}) {
  const drawn: (QuarterTurns | undefined)[] = [];
  const seen: boolean[] = [];
  const draw = async (direction?: QuarterTurns): Promise<ScanToRead> => {
    drawn.push(direction);
    const size = direction === undefined ? { width: 40, height: 30 } : { width: 30, height: 40 };
    return { scan: { ...size, resolution: 72, upright: direction !== undefined, ...scan }, marks: String(direction) };
  };
  const readWords: ReadWords = async ({ upright }) => {
    seen.push(upright);
    return answers.shift();
  };
  return readScan(draw, 'scan.png', 'eng', readWords).then((reading) => ({ reading, drawn, seen }));
}

describe('the reading of a scan', () => {
  test('is of its drawing as it lies where the reader finds no turn', async () => {
    const { reading, drawn } = await read([WORDS]);
    expect(reading).toEqual({ width: 40, height: 30, words: WORDS, marks: 'undefined' });
    expect(drawn).toEqual([undefined]);
  });

  test('is of a new drawing, with its size and marks, where the reader finds a turn', async () => {
    const { reading, drawn, seen } = await read([{ direction: 1 }, WORDS]);
    expect(reading).toEqual({ width: 30, height: 40, words: WORDS, marks: '1' });
    expect(drawn).toEqual([undefined, 1]);
    expect(seen).toEqual([false, true]);
  });

  test.each([
    ['is unknown', [{ direction: 'unknown' as const }], 'direction'],
    ['is never the same', [{ direction: 1 as const }, { direction: 1 as const }], 'direction'],
    ['is found, but whose words exceed a limit', [{ direction: 1 as const }, undefined], 'limit'],
  ])('adds no text to a page whose direction %s', async (_what, answers, unread) => {
    expect((await read(answers)).reading).toEqual({ unread });
  });
});
