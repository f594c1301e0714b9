import { useRef } from 'preact/hooks';
import type { Gallery } from './gallery.ts';

/** Milliseconds that a finger rests on a tile to select it, and pixels that it may move meanwhile. */
const LONG_MS = 450;
const STILL = 10;

interface Press {
  id: string;
  x: number;
  y: number;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * What clicks and fingers on tiles select: a long press starts, and while something is selected, each press selects in place of
 * opening the page. Shift selects a range. The Enter key opens the page in any case.
 * @param order ids as they are shown
 * @returns handlers for the list
 */
export function useSelectingPress({ selection }: Gallery, order: () => readonly string[]) {
  const press = useRef<Press | undefined>(undefined);
  /** Whether the finger has selected, so that its end is no click. */
  const isDone = useRef(false);
  const end = (): void => {
    clearTimeout(press.current?.timer);
    press.current = undefined;
  };
  return {
    onPointerDown({ target, pointerType, clientX: x, clientY: y }: PointerEvent): void {
      end();
      isDone.current = false;
      const id = idOf(target);
      if (pointerType !== 'touch' || id === undefined) return;
      const timer = setTimeout(() => {
        isDone.current = true;
        selection.toggle(id);
      }, LONG_MS);
      press.current = { id, x, y, timer };
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      const { current: from } = press;
      if (from !== undefined && Math.hypot(clientX - from.x, clientY - from.y) > STILL) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
    /** A long press opens the menu of the link, except where it selects. */
    onContextMenu(event: MouseEvent): void {
      if (press.current !== undefined || isDone.current) event.preventDefault();
    },
    onClickCapture(event: MouseEvent): void {
      const id = idOf(event.target);
      // A key is a click without a press.
      if (id === undefined || event.detail === 0 || event.ctrlKey || event.metaKey) return;
      const isSelecting = selection.ids.value.size > 0;
      if (!isDone.current && !isSelecting && !event.shiftKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (isDone.current) isDone.current = false;
      else if (event.shiftKey) selection.extend(id, order());
      else selection.toggle(id);
    },
  };
}

/** The upload whose page a click would open. */
function idOf(target: EventTarget | null): string | undefined {
  const link = (target as Element | null)?.closest('.tile-name');
  return link?.closest<HTMLElement>('.tile')?.dataset['id'];
}
