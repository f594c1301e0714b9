/**
 * What a browser does at a change of page, and a page that changes by itself has to: puts the focus on the new page's heading, so
 * that readers of the page hear where they are.
 */
export function focusPage(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  (heading ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/** Gives the focus to the page's heading when what had it has gone. */
export function focusPageIfLost(): void {
  if (document.activeElement === document.body) focusPage();
}

/** Moves the focus to the heading of the page. Call it before an element with the focus goes away. */
export const keepFocus = (): void => void requestAnimationFrame(focusPageIfLost);
