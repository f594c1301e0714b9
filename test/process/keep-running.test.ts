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
  test('is started again three times within ten minutes, and then has ended for good', async () => {
    const { ends, reports, kept, started } = stage();
    for (let end = 0; end < 3; end += 1) {
      ends[end]!();
      await started(end + 2);
    }
    ends[3]!();
    await kept;
    expect(ends).toHaveLength(4);
    expect(reports.at(-1)).toBe('The part has ended again after 3 restarts within ten minutes.');
  });

  test('is started again after ten minutes without an end, however often it has ended before', async () => {
    const { clock, ends, stopping, kept, started } = stage();
    for (let end = 0; end < 12; end += 1) {
      clock.ms = end * 4 * MINUTE;
      ends[end]!();
      await started(end + 2);
    }
    stopping.abort();
    ends.at(-1)!();
    await kept;
    expect(ends).toHaveLength(13);
  });

  test('counts restarts that fail', async () => {
    let attempts = 0;
    const { ends, reports, kept } = stage(async () => {
      attempts += 1;
      throw new Error('no memory');
    });
    ends[0]!();
    await kept;
    expect(attempts).toBe(3);
    expect(reports).toContain('The part did not start: no memory');
  });

  test('is not started again when it is stopped', async () => {
    const { ends, reports, stopping, kept } = stage();
    stopping.abort();
    ends[0]!();
    await kept;
    expect([ends.length, reports]).toEqual([1, []]);
  });
});
