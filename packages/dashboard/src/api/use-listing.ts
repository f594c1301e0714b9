import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get } from './client.ts';
import type { Listing } from './types.ts';

export interface LongList<Item> {
  /** Undefined until the first page is there */
  items: Item[] | undefined;
  error: unknown;
  hasMore: boolean;
  isLoading: boolean;
  more: () => void;
  reload: () => void;
}

/** A list of the gateway, page by page. @param path without `after`, such as `/v1/credits/entries?limit=20` */
export function useListing<Item>(path: string): LongList<Item> {
  const [state, setState] = useState<{ items?: Item[]; next: string | null; error?: unknown }>({ next: null });
  const [isLoading, setLoading] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);

  const load = useCallback(
    (after: string | null) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      setLoading(true);
      const href = after === null ? path : `${path}${path.includes('?') ? '&' : '?'}after=${encodeURIComponent(after)}`;
      get<Listing<Item>>(href, { signal: abort.signal }).then(
        ({ items, next }) => {
          setState((before) => ({ items: after === null ? items : [...(before.items ?? []), ...items], next }));
          setLoading(false);
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setState((before) => ({ ...before, error }));
          setLoading(false);
        },
      );
    },
    [path],
  );

  useEffect(() => {
    load(null);
    return () => running.current?.abort();
  }, [load]);

  const { items, next, error } = state;
  return {
    items,
    error,
    hasMore: next !== null,
    isLoading,
    more: useCallback(() => load(next), [load, next]),
    reload: useCallback(() => load(null), [load]),
  };
}
