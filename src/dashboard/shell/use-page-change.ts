import { useEffect, useRef } from 'preact/hooks';

/**
 * What a browser does at a change of page, and a page that changes by itself has to: scrolls up, and puts the focus on the new
 * page's heading, so that readers of the page hear where they are. Not at the first page, which the browser has announced.
 */
export function usePageChange(path: string): void {
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (before.current !== undefined && before.current !== path) {
      scrollTo(0, 0);
      const heading = document.querySelector<HTMLElement>('main h1');
      (heading ?? document.getElementById('main'))?.focus({ preventScroll: true });
    }
    before.current = path;
  }, [path]);
}
