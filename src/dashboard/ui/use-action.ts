import { useState } from 'preact/hooks';

export interface Action<Args extends unknown[]> {
  busy: boolean;
  /** What went wrong the last time; undefined once it is tried again */
  error: unknown;
  run: (...args: Args) => void;
}

/** A change that a person sets off: while it is under way a second one is not begun. */
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
