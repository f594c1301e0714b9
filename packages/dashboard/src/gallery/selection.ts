import { signal, type ReadonlySignal } from '@preact/signals';

/** The uploads that a person has selected, by their ids. */
export interface Selection {
  readonly ids: ReadonlySignal<ReadonlySet<string>>;
  /** Selects an upload, or takes it out. The next range starts there. */
  toggle(id: string): void;
  /** Selects all uploads between the last one that was toggled and this one. @param order ids as they are shown */
  extend(id: string, order: readonly string[]): void;
  /** Selects exactly these. */
  set(ids: Iterable<string>): void;
}

export function createSelection(): Selection {
  const ids = signal<ReadonlySet<string>>(new Set());
  let anchor: string | undefined;
  return {
    ids,
    toggle(id) {
      const next = new Set(ids.value);
      if (!next.delete(id)) next.add(id);
      ids.value = next;
      anchor = id;
    },
    extend(id, order) {
      const to = order.indexOf(id);
      const from = anchor === undefined ? -1 : order.indexOf(anchor);
      const range = order.slice(Math.min(from === -1 ? to : from, to), Math.max(from, to) + 1);
      ids.value = new Set([...ids.value, ...range]);
      if (from === -1) anchor = id;
    },
    set(given) {
      ids.value = new Set(given);
      anchor = undefined;
    },
  };
}
