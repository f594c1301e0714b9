import type { Failure } from '../../domain/failures.ts';

/** Limits concurrent work under one key. */
export interface ConcurrencyLimit {
  /** @throws the failure of `refusal` when the limit is reached */
  run<T>(key: string, refusal: (max: number) => Failure, work: () => Promise<T>): Promise<T>;
}

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const running = new Map<string, number>();
  return {
    async run(key, refusal, work) {
      const others = running.get(key) ?? 0;
      if (others >= max) throw refusal(max);
      running.set(key, others + 1);
      try {
        return await work();
      } finally {
        const left = running.get(key)! - 1;
        if (left > 0) running.set(key, left);
        else running.delete(key);
      }
    },
  };
}
