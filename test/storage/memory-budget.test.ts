import { expect, it } from '@jest/globals';
import { createMemoryBudget } from '../../src/storage/memory-budget.ts';

it('the memory budget runs work within its bytes in order, and an oversized one alone', async () => {
  const budget = createMemoryBudget(10);
  const log: string[] = [];
  let held = 0;
  let most = 0;
  const work = (name: string, bytes: number): Promise<string> =>
    budget.spend(bytes, async () => {
      held += Math.min(bytes, 10);
      most = Math.max(most, held);
      log.push(name);
      await Promise.resolve();
      held -= Math.min(bytes, 10);
      return name;
    });
  const failing = budget.spend(4, () => Promise.reject(new Error('fault')));
  const all = Promise.all([work('six', 6), work('huge', 99), work('one', 1), work('nine', 9)]);
  await expect(failing).rejects.toThrow('fault');
  expect(await all).toEqual(['six', 'huge', 'one', 'nine']);
  expect(log).toEqual(['six', 'huge', 'one', 'nine']);
  expect(most).toBe(10);
});
