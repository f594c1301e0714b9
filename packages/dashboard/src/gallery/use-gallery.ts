import { useLayoutEffect, useMemo } from 'preact/hooks';
import { onSignedOut } from '../api/client.ts';
import { openGallery, type Gallery } from './gallery.ts';

/** Galleries that a person may come back to with the back button. */
const KEPT = 8;
const galleries = new Map<string, Gallery>();
// The next account must not see the files of this one.
onSignedOut(() => galleries.clear());

/** The history outlives a reload of the page, and the galleries do not. */
const PAGE_LOAD = String(performance.timeOrigin);
let opened = 0;

/**
 * The gallery of an address: that of the entry in the browser's history, when a person comes back to it, else a new one.
 * @param address of the list, as in `openGallery`
 */
export function useGallery(address: string): Gallery {
  const gallery = useMemo(() => {
    const known = galleries.get(entryKey());
    return known?.address === address ? known : openGallery(address);
  }, [address]);
  useLayoutEffect(() => {
    if (galleries.get(entryKey()) === gallery) return;
    const key = `${PAGE_LOAD} ${(opened += 1)}`;
    galleries.set(key, gallery);
    history.replaceState({ ...(history.state as object | null), gallery: key }, '');
    const [oldest] = galleries.keys();
    if (galleries.size > KEPT) galleries.delete(oldest!);
  }, [gallery]);
  return gallery;
}

const entryKey = (): string => (history.state as { gallery?: string } | null)?.gallery ?? '';
