import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from './client.ts';

export interface Resource<Body> {
  /** Undefined until it is there */
  data: Body | undefined;
  error: unknown;
  /** Reads it again; the shown data stays until the new data is there. */
  reload: () => void;
  /** Replaces the shown data, after a change whose answer contains the new state. */
  set: (change: (data: Body) => Body) => void;
}

/** Reads an address of the gateway while the component is mounted. @param path undefined: nothing is read yet */
export function useResource<Body>(path: string | undefined): Resource<Body> {
  const [state, setState] = useState<{ path?: string; data?: Body; error?: unknown }>({});
  const [reloads, setReloads] = useState(0);

  useEffect(() => {
    if (path === undefined) return;
    const abort = new AbortController();
    get<Body>(path, { signal: abort.signal }).then(
      (data) => setState({ path, data }),
      (error: unknown) => {
        if (!abort.signal.aborted) setState((before) => ({ ...before, path, error }));
      },
    );
    return () => abort.abort();
  }, [path, reloads]);

  const reload = useCallback(() => setReloads((before) => before + 1), []);
  const set = useCallback(
    (change: (data: Body) => Body) =>
      setState((before) => (before.data === undefined ? before : { ...before, data: change(before.data) })),
    [],
  );
  // What was read from another address is not shown as this one's.
  const own = state.path === path ? state : {};
  return { data: own.data, error: own.error, reload, set };
}
