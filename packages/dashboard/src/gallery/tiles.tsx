import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { UploadWithEnhancements } from '../api/types.ts';
import type { Gallery } from './gallery.ts';
import type { Layout } from './layout.ts';
import { Tile } from './tile.tsx';
import { useFrame } from './use-frame.ts';
import { useSelectingPress } from './use-selecting-press.ts';
import { useWindowRows } from './window-rows.ts';

/** Rows before the end of what was read at which the next page is requested. */
const AHEAD = 6;
/** Pixels of a row of the list before it is measured. */
const LIST_ROW = 92;
/** Height of a picture in the grid, by its width. */
const PICTURE = 3 / 4;
/** Pixels between tiles. */
const GAP = { grid: 16, list: 0 };

/**
 * Uploads as tiles or rows. Only those near the window are in the document. Arrow keys, Home and End move between them, and
 * the Tab key reaches one. Space selects, and shift selects a range.
 * @param onShown receives the uploads in the document, whenever they change
 */
export function Tiles({
  gallery,
  uploads,
  layout,
  onShown,
}: {
  gallery: Gallery;
  uploads: readonly UploadWithEnhancements[];
  layout: Layout;
  onShown: (shown: readonly UploadWithEnhancements[]) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const frame = useFrame(list, layout, GAP[layout], gallery.frame);
  const { columns, width, top, words } = frame;
  const [activeId, setActive] = useState(gallery.active);
  const active = Math.max(
    0,
    uploads.findIndex(({ id }) => id === activeId),
  );
  const gap = GAP[layout];
  const estimate = layout === 'list' ? LIST_ROW : width * PICTURE + words;
  const rows = useWindowRows({
    count: Math.ceil(uploads.length / columns),
    estimate,
    gap,
    top,
    kept: Math.floor(active / columns),
    place: gallery.place,
    onLeave: (place) => (gallery.place = place),
  });
  const hasMore = gallery.hasMore.value;

  gallery.frame = frame;
  gallery.active = activeId;
  // All rows of the grid are equally high, and each of the list is measured.
  const shape = `${layout} ${columns} ${estimate}`;
  const known = useRef(shape);
  useLayoutEffect(() => {
    if (known.current === shape) return;
    known.current = shape;
    rows.measure();
    if (layout === 'list') for (const tile of list.current!.children) rows.measureElement(tile as HTMLElement);
  }, [shape]);

  const inDocument = rows.getVirtualItems();
  const last = inDocument.reduce((most, { index }) => Math.max(most, index), 0);
  useEffect(() => {
    if ((last + AHEAD) * columns >= uploads.length && gallery.error.value === undefined) gallery.more();
  }, [last, columns, uploads.length]);

  const shown = inDocument
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ index, start }) =>
      uploads
        .slice(index * columns, (index + 1) * columns)
        .map((upload, column) => ({ upload, row: index, column, y: start - top })),
    );
  const ids = shown.map(({ upload }) => upload.id).join();
  useEffect(() => onShown(shown.map(({ upload }) => upload)), [ids, uploads]);

  // The tile that a key leads to may not be in the document before this.
  const wanted = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const link = list.current!.querySelector<HTMLElement>(`[data-id="${wanted.current}"] a`);
    if (link === null) return;
    wanted.current = undefined;
    link.focus({ preventScroll: true });
  });

  const { selection } = gallery;
  const selected = selection.ids.value;
  const order = (): string[] => uploads.map(({ id }) => id);
  const select = (id: string, isRange: boolean): void =>
    isRange ? selection.extend(id, order()) : selection.toggle(id);
  const press = useSelectingPress(gallery, order);

  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const onLink = (event.target as HTMLElement).matches('a');
    if (key === ' ' && onLink) selection.toggle(uploads[active]!.id);
    else if (key === 'a' && isCommand) selection.set(order());
    else if (key === 'Escape' && selected.size > 0) selection.set([]);
    else if (!moveBy(event)) return;
    event.preventDefault();
  };

  const moveBy = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean => {
    const to = movedTo(key, active, { columns, count: uploads.length });
    if (to === undefined || ctrlKey || metaKey || altKey) return false;
    if (shiftKey && selected.size === 0) selection.toggle(uploads[active]!.id);
    if (shiftKey) selection.extend(uploads[to]!.id, order());
    const { id } = uploads[to]!;
    wanted.current = id;
    setActive(id);
    rows.scrollToIndex(Math.floor(to / columns), { align: 'auto' });
    return true;
  };

  return (
    <ul
      ref={list}
      class={`tiles ${layout}${selected.size > 0 ? ' selecting' : ''}`}
      aria-label="Uploads"
      style={{ height: `${rows.getTotalSize()}px` }}
      onKeyDown={onKeyDown}
      {...press}
      onFocusIn={({ target }) => setActive((target as HTMLElement).closest<HTMLElement>('.tile')?.dataset['id'])}
    >
      {shown.map(({ upload, row, column, y }) => (
        <Tile
          key={upload.id}
          upload={upload}
          isActive={upload === uploads[active]}
          isScrolling={rows.isScrolling}
          isSelected={selected.has(upload.id)}
          onSelect={(isRange) => select(upload.id, isRange)}
          aria-setsize={hasMore ? -1 : uploads.length}
          aria-posinset={row * columns + column + 1}
          data-index={row}
          measure={layout === 'list' ? rows.measureElement : undefined}
          style={{ width: `${width}px`, transform: `translate(${column * (width + gap)}px, ${y}px)` }}
        />
      ))}
    </ul>
  );
}

/** Where a key leads from a tile; undefined for another key, and at the edge. */
function movedTo(
  key: string,
  from: number,
  { columns, count }: { columns: number; count: number },
): number | undefined {
  const moves: Record<string, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from - columns,
    ArrowDown: from + columns,
    Home: 0,
    End: count - 1,
  };
  const to = moves[key];
  return to === undefined || to < 0 || to >= count ? undefined : to;
}
