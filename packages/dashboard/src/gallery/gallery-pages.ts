import type { Listing, UploadWithEnhancements } from '../api/types.ts';

/** A page of the list, as it was read. */
export interface GalleryPage {
  /** Cursor that it was read with; null for the first page */
  after: string | null;
  items: readonly UploadWithEnhancements[];
  next: string | null;
}

/**
 * Replaces the records of a page by what its cursor answers now. New uploads move older ones behind the end of the answer; those stay, so
 * that the pages still follow each other.
 * @param withNew also adds uploads that are newer than all shown ones
 */
export function renewPage(
  pages: readonly GalleryPage[],
  after: string | null,
  fresh: Listing<UploadWithEnhancements>,
  withNew: boolean,
): readonly GalleryPage[] {
  const index = pages.findIndex((page) => page.after === after);
  const page = pages[index];
  if (page === undefined) return pages;
  const answered = new Set(fresh.items.map(({ id }) => id));
  const known = new Set(page.items.map(({ id }) => id));
  const lastKnown = page.items.findLastIndex(({ id }) => answered.has(id));
  if (lastKnown === -1 && page.items.length > 0 && fresh.items.length > 0 && after === null)
    return withNew ? [{ after, ...fresh }] : pages;
  const elsewhere = new Set(pages.flatMap(({ items }) => (items === page.items ? [] : items.map(({ id }) => id))));
  const firstKnown = fresh.items.findIndex(({ id }) => known.has(id));
  const items = fresh.items.filter(
    ({ id }, at) => !elsewhere.has(id) && (known.has(id) || withNew || after !== null || at > firstKnown),
  );
  // Older than the answer, so it says nothing about them. An answer without a next page has all.
  const older = fresh.next === null ? [] : page.items.slice(lastKnown + 1);
  const isLast = index === pages.length - 1;
  const next = isLast && older.length === 0 ? fresh.next : page.next;
  return pages.toSpliced(index, 1, { after, items: [...items, ...older], next });
}
