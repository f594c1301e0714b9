import { signal } from '@preact/signals';

export type Layout = 'grid' | 'list';

const STORAGE_KEY = 'burnish-gallery-layout';

/** How a person wants to see uploads, in this browser. */
export const layout = signal<Layout>(readLayout());

export function setLayout(value: Layout): void {
  layout.value = value;
  try {
    localStorage.setItem(STORAGE_KEY, value);
  } catch {
    // A browser may refuse to store anything. Then the choice lasts until the page is closed.
  }
}

function readLayout(): Layout {
  try {
    return localStorage.getItem(STORAGE_KEY) === 'list' ? 'list' : 'grid';
  } catch {
    return 'grid';
  }
}
