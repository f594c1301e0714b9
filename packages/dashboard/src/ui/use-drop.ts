import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/**
 * Accepts files and folders that are dropped anywhere on the page.
 * @param onDrop must read the folders of the drop at once: the browser forgets them after the event
 * @returns whether files are carried over the page
 */
export function useDrop(onDrop: (dropped: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const hand = useRef(onDrop);
  hand.current = onDrop;

  // With the words that ask for files, and not a moment later.
  useLayoutEffect(() => {
    const ended = new AbortController();
    const { signal } = ended;
    let depth = 0;
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      hand.current(event.dataTransfer!);
    };
    addEventListener('dragover', over, { signal });
    addEventListener('dragenter', enter, { signal });
    addEventListener('dragleave', leave, { signal });
    addEventListener('drop', drop, { signal });
    return () => ended.abort();
  }, []);

  return isOver;
}
