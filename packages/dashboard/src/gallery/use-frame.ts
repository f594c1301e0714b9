import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Layout } from './layout.ts';

/** The least width of a tile on a wide and on a narrow page, and the width of the list at which it is wide: in text sizes */
const LEAST = { wide: 12.5, narrow: 9 };
const WIDE = 40;

export interface Frame {
  columns: number;
  /** Pixels of a tile */
  width: number;
  /** Pixels from the start of the document to the list */
  top: number;
  /** Pixels of the words below the picture of a tile, the same for each; 0 before one is measured */
  words: number;
}

/** Before the list is measured. */
export const FIRST_FRAME: Frame = { columns: 1, width: 200, top: 0, words: 0 };

/**
 * The columns of a list that fit into it, and its place in the document, as both change.
 * @param first before the list is measured
 */
export function useFrame(list: RefObject<HTMLElement | null>, layout: Layout, gap: number, first: Frame): Frame {
  const [frame, setFrame] = useState(first);
  const measure = (): void => {
    const next = frameOf(list.current!, layout, gap);
    const isSame = (Object.keys(next) as (keyof Frame)[]).every((name) => next[name] === frame[name]);
    if (!isSame) setFrame(next);
  };
  const newest = useRef(measure);
  newest.current = measure;
  useLayoutEffect(() => {
    newest.current();
    // Whatever stands above the list changes the height of what contains both.
    const observer = new ResizeObserver(() => newest.current());
    observer.observe(list.current!);
    observer.observe(list.current!.parentElement!);
    return () => observer.disconnect();
  }, [layout, gap]);
  // The first tile comes with a later rendering.
  useLayoutEffect(() => {
    if (frame.words === 0) measure();
  });
  return frame;
}

function frameOf(element: HTMLElement, layout: Layout, gap: number): Frame {
  const { width, top } = element.getBoundingClientRect();
  const text = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const least = (width >= WIDE * text ? LEAST.wide : LEAST.narrow) * text;
  const columns = layout === 'list' ? 1 : Math.max(1, Math.floor((width + gap) / (least + gap)));
  return {
    columns,
    width: Math.floor((width - gap * (columns - 1)) / columns),
    top: Math.round(top + scrollY),
    words: wordsOf(element),
  };
}

function wordsOf(list: HTMLElement): number {
  const tile = list.querySelector('.tile');
  if (tile === null) return 0;
  return tile.getBoundingClientRect().height - tile.querySelector('.tile-picture')!.getBoundingClientRect().height;
}
