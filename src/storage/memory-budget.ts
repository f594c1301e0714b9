export interface MemoryBudget {
  /**
   * Runs work that uses this many bytes of memory as soon as they are free, in the order of the calls. Work that
   * needs more than the total runs alone.
   */
  spend<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}

/** Limits the memory of all its work to `total` bytes. */
export function createMemoryBudget(total: number): MemoryBudget {
  let free = total;
  const waiting: { bytes: number; begin: () => void }[] = [];

  function beginNext(): void {
    for (let next = waiting[0]; next !== undefined && next.bytes <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.bytes;
      next.begin();
    }
  }

  return {
    async spend(wanted, work) {
      const bytes = Math.min(wanted, total);
      await new Promise<void>((begin) => {
        waiting.push({ bytes, begin });
        beginNext();
      });
      try {
        return await work();
      } finally {
        free += bytes;
        beginNext();
      }
    },
  };
}
