import { useState } from 'preact/hooks';

export interface Action<Args extends unknown[]> {
  busy: boolean;
  /** The last failure; undefined during the next attempt */
  error: unknown;
  run: (...args: Args) => void;
}

/** A change that a person starts: while it runs, a second one does not start. */
export function useAction<Args extends unknown[]>(work: (...args: Args) => Promise<unknown>): Action<Args> {
  const [state, setState] = useState<{ busy: boolean; error?: unknown }>({ busy: false });
  const run = (...args: Args): void => {
    if (state.busy) return;
    setState({ busy: true });
    work(...args).then(
      () => setState({ busy: false }),
      (error: unknown) => setState({ busy: false, error }),
    );
  };
  return { busy: state.busy, error: state.error, run };
}
