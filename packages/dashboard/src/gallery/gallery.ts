import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { get } from '../api/client.ts';
import type { Listing, UploadWithEnhancements } from '../api/types.ts';
import { renewPage, type GalleryPage } from './gallery-pages.ts';
import { createSelection, type Selection } from './selection.ts';
import { FIRST_FRAME, type Frame } from './use-frame.ts';
import type { Place } from './window-rows.ts';

/** Uploads as far as a person has scrolled, and where that was. It stays while the person visits another page. */
export interface Gallery {
  readonly address: string;
  /** Newest first, without deleted ones; undefined until the first page is there */
  readonly uploads: ReadonlySignal<readonly UploadWithEnhancements[] | undefined>;
  readonly hasMore: ReadonlySignal<boolean>;
  readonly isLoading: ReadonlySignal<boolean>;
  /** Why the last page could not be read */
  readonly error: ReadonlySignal<unknown>;
  place: Place;
  frame: Frame;
  /** Id of the upload that the keyboard is at */
  active: string | undefined;
  readonly selection: Selection;
  /** Reads the next page. Does nothing while one is read, and at the end. */
  more(): void;
  /** Reads the pages of these uploads again. @param withNew also shows uploads that have arrived since */
  refresh(ids: ReadonlySet<string>, withNew: boolean): void;
  /** Removes uploads that this page has deleted. */
  forget(ids: ReadonlySet<string>): void;
}

/** @param address such as `/v1/uploads?limit=100&include=enhancements`, without `after` */
export function openGallery(address: string): Gallery {
  const pages = signal<readonly GalleryPage[]>([]);
  const isLoading = signal(false);
  const error = signal<unknown>(undefined);
  const selection = createSelection();
  const read = (after: string | null): Promise<Listing<UploadWithEnhancements>> =>
    get(after === null ? address : `${address}&after=${encodeURIComponent(after)}`);
  const end = (): string | null | undefined => pages.value.at(-1)?.next;

  async function more(): Promise<void> {
    const after = end();
    if (isLoading.value || after === null) return;
    isLoading.value = true;
    error.value = undefined;
    try {
      const { items, next } = await read(after ?? null);
      // A renewed first page may have replaced the others meanwhile.
      if (end() === after) pages.value = [...pages.value, { after: after ?? null, items, next }];
    } catch (failure) {
      error.value = failure;
    } finally {
      isLoading.value = false;
    }
  }

  return {
    address,
    uploads: computed(() =>
      pages.value.length === 0
        ? undefined
        : pages.value.flatMap(({ items }) => items).filter(({ status }) => status !== 'UPLOAD_DELETED'),
    ),
    hasMore: computed(() => end() !== null),
    isLoading,
    error,
    place: { offset: 0, rows: [] },
    frame: FIRST_FRAME,
    active: undefined,
    selection,
    more: () => void more(),
    refresh(ids, withNew) {
      const stale = pages.value.filter(
        ({ after, items }) => (withNew && after === null) || items.some(({ id }) => ids.has(id)),
      );
      for (const { after } of stale) {
        read(after).then(
          (fresh) => (pages.value = renewPage(pages.value, after, fresh, withNew)),
          // The shown records stay. Their new list makes the page try again later.
          () => (pages.value = [...pages.value]),
        );
      }
    },
    forget(ids) {
      selection.set([...selection.ids.value].filter((id) => !ids.has(id)));
      pages.value = pages.value.map((page) => ({ ...page, items: page.items.filter(({ id }) => !ids.has(id)) }));
    },
  };
}
