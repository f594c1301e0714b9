import { describe, expect, test } from '@jest/globals';
import { Failure } from '@burnish/contract';
import { createBoundedWork } from '../../../src/api/trouble/bounded-work.ts';

function workAt(nowMs: { value: number }) {
  return createBoundedWork({ atOnce: 1, inAll: 4, waitingOfOwner: 2, refusalMs: 1000, now: () => nowMs.value });
}

/** Work that ends when it is told to. */
function held() {
  let end = (): void => undefined;
  const promise = new Promise<void>((resolve) => (end = resolve));
  return { work: () => promise, end };
}

describe('bounded work for previews', () => {
  test('runs one piece at a time, in the order of requests', async () => {
    const bounded = workAt({ value: 0 });
    const order: string[] = [];
    const first = held();
    const one = bounded.share('a', 'x', () => first.work().then(() => order.push('a')));
    const two = bounded.share('b', 'y', async () => order.push('b'));
    await Promise.resolve();
    expect(order).toEqual([]);
    first.end();
    await Promise.all([one, two]);
    expect(order).toEqual(['a', 'b']);
  });

  test('gives each owner one turn at a time, and then the turn to the next owner', async () => {
    const bounded = createBoundedWork({ atOnce: 2, now: () => 0 });
    const order: string[] = [];
    const pieces = new Map<string, ReturnType<typeof held>>();
    const share = (key: string) => {
      const piece = held();
      pieces.set(key, piece);
      const work = (): Promise<void> => (order.push(key), piece.work());
      return bounded.share(key, key[0]!, work);
    };
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(share);
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    const end = async (key: string): Promise<void> => {
      pieces.get(key)!.end();
      await settle();
    };
    await settle();
    expect(order).toEqual(['a1', 'b1']);
    await end('a1');
    expect(order.at(-1)).toBe('c1');
    await end('b1');
    await end('c1');
    expect(order.slice(3)).toEqual(['a2', 'b2']);
    await end('a2');
    await end('b2');
    await end('a3');
    await Promise.all(all);
    expect(order).toHaveLength(6);
  });

  test('is shared by equal requests, and limits the queue of each owner and of all', async () => {
    const bounded = workAt({ value: 0 });
    const { work, end } = held();
    const running = ['a', 'a', 'b', 'c'].map((key) => bounded.share(key, 'x', work));
    await expect(bounded.share('d', 'x', work)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2 });
    running.push(bounded.share('e', 'y', work));
    await expect(bounded.share('f', 'y', work)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    // An owner without work is never refused for the work of others.
    running.push(bounded.share('g', 'z', work));
    end();
    await Promise.all(running);
    await expect(bounded.share('d', 'x', async () => 'done')).resolves.toBe('done');
  });

  test('caches a permanent refusal for a while, and never a transient one', async () => {
    const now = { value: 0 };
    const bounded = workAt(now);
    let times = 0;
    const broken = async (): Promise<never> => {
      times += 1;
      throw new Failure('CORRUPT_FILE');
    };
    await expect(bounded.share('a', 'x', broken)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    await expect(bounded.share('a', 'x', broken)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    expect(times).toBe(1);
    now.value = 1001;
    await expect(bounded.share('a', 'x', broken)).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    expect(times).toBe(2);
    const passing = () => Promise.reject(new Failure('INTERNAL'));
    await expect(bounded.share('b', 'x', passing)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(bounded.share('b', 'x', async () => 1)).resolves.toBe(1);
  });
});
