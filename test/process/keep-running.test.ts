import { describe, expect, test } from '@jest/globals';
import { keepRunning, type Part } from '../../src/process/keep-running.ts';

const MINUTE = 60_000;

/** Parts that the test ends, with a clock that stands still. */
function stage(restart?: () => Promise<void>) {
  const clock = { ms: 0 };
  const ends: (() => void)[] = [];
  const reports: string[] = [];
  const stopping = new AbortController();
  const part = (): Part => ({ ended: new Promise((resolve) => ends.push(resolve)) });
  const kept = keepRunning(part(), {
    name: 'The part',
    restart: async () => {
      await restart?.();
      return part();
    },
    report: (sentence) => reports.push(sentence),
    stopping: stopping.signal,
    pausesMs: [0, 1, 2],
    now: () => clock.ms,
  });
  const started = async (count: number): Promise<void> => {
    while (ends.length < count) await new Promise(setImmediate);
  };
  return { clock, ends, reports, stopping, kept, started };
}

describe('a part that ends by itself', () => {
  test('is started again however often it ends, after pauses that grow', async () => {
    const { ends, reports, stopping, kept, started } = stage();
    for (let end = 0; end < 8; end += 1) {
      ends[end]!();
      await started(end + 2);
    }
    stopping.abort();
    ends.at(-1)!();
    await kept;
    const again = (pause: string): string => `The part has ended by itself, and is started again${pause}.`;
    expect(reports).toEqual([
      again(''),
      again(' in 0.001 s'),
      ...Array.from({ length: 6 }, () => again(' in 0.002 s')),
    ]);
  });

  test('pauses no longer once it has not ended for ten minutes', async () => {
    const { clock, ends, reports, stopping, kept, started } = stage();
    for (let end = 0; end < 4; end += 1) {
      clock.ms = end < 3 ? 0 : 10 * MINUTE;
      ends[end]!();
      await started(end + 2);
    }
    stopping.abort();
    ends.at(-1)!();
    await kept;
    expect(reports.at(-1)).toBe('The part has ended by itself, and is started again.');
  });

  test('is started until it starts, and says each time why it did not', async () => {
    let attempts = 0;
    const { ends, reports, stopping, kept, started } = stage(async () => {
      attempts += 1;
      if (attempts < 6) throw new Error('no memory');
    });
    ends[0]!();
    await started(2);
    stopping.abort();
    ends[1]!();
    await kept;
    expect(attempts).toBe(6);
    expect(reports.filter((each) => each === 'The part did not start: no memory')).toHaveLength(5);
  });

  test('is not started again when it is stopped', async () => {
    const { ends, reports, stopping, kept } = stage();
    stopping.abort();
    ends[0]!();
    await kept;
    expect([ends.length, reports]).toEqual([1, []]);
  });
});
