/**
 * Focuses the heading of a new page, as a browser does at a change of document, so that screen readers announce the page.
 */
export function focusPage(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  (heading ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/** Focuses the heading of the page if the focused element has disappeared. */
export function focusPageIfLost(): void {
  if (document.activeElement === document.body) focusPage();
}

/** Moves the focus to the heading of the page. Call it before a focused element is removed. */
export const keepFocus = (): void => void requestAnimationFrame(focusPageIfLost);
