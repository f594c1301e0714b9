/** Longer texts are not cached. */
const MAX_LENGTH = 5000;
const MAX_ENTRIES = 200;

export interface TextCache<T> {
  get(text: string): T | undefined;
  set(text: string, value: T): void;
}

/**
 * A cache of the results of recent texts. It is limited in number and length, so that callers cannot exhaust the
 * memory.
 */
export function createTextCache<T>(): TextCache<T> {
  const entries = new Map<string, T>();
  return {
    get(text) {
      const value = entries.get(text);
      if (value === undefined) return undefined;
      entries.delete(text);
      entries.set(text, value);
      return value;
    },
    set(text, value) {
      if (text.length > MAX_LENGTH) return;
      entries.delete(text);
      entries.set(text, value);
      if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!);
    },
  };
}
