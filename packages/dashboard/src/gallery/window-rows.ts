import { useLayoutEffect, useReducer, useState } from 'preact/hooks';
import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
  type VirtualItem,
} from '@tanstack/virtual-core';

export type WindowRows = Virtualizer<Window, HTMLElement>;

/** Where a person was in a list. */
export interface Place {
  /** Scrolled pixels of the window */
  offset: number;
  /** Measured rows */
  rows: VirtualItem[];
}

/** Rows beyond each edge of the window that are in the document. */
const OVERSCAN = 2;
/** Pixels that a sticky header or bar may cover, so that no row that a key leads to is below it. */
const COVERED = 96;

/**
 * Keeps the rows of a long list in the document that are in the window. The document scrolls, as on any other page.
 * @param options.top distance of the list from the start of the document, pixels
 * @param options.kept a row that stays in the document, since it has the focus
 * @param options.place where the list opens
 * @param options.onLeave receives the place when the list is removed
 */
export function useWindowRows(options: {
  count: number;
  estimate: number;
  gap: number;
  top: number;
  kept: number;
  place: Place;
  onLeave: (place: Place) => void;
}): WindowRows {
  const { count, estimate, gap, top, kept, place, onLeave } = options;
  const [, update] = useReducer((times: number) => times + 1, 0);
  const current = {
    count,
    gap,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: COVERED,
    scrollPaddingEnd: COVERED,
    initialOffset: place.offset,
    initialMeasurementsCache: place.rows,
    estimateSize: () => estimate,
    rangeExtractor: (range: Parameters<typeof defaultRangeExtractor>[0]) => {
      const rows = defaultRangeExtractor(range);
      return kept >= count || rows.includes(kept) ? rows : [...rows, kept];
    },
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: () => update(undefined),
  };
  const [rows] = useState(() => new Virtualizer<Window, HTMLElement>(current));
  rows.setOptions(current);
  useLayoutEffect(() => () => onLeave({ offset: rows.scrollOffset ?? 0, rows: rows.takeSnapshot() }), []);
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  return rows;
}
