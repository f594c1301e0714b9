/**
 * Focuses the heading of a new page, as a browser does at a change of document, so that screen readers announce the page.
 */
export function focusPage(): void {
  const heading = document.querySelector<HTMLElement>('main h1');
  (heading ?? document.getElementById('main'))?.focus({ preventScroll: true });
}

/**
 * Moves the focus to the heading of the page whenever the focused element disappears, such as a button whose work is done. Otherwise the
 * keyboard would begin again at the top of the document.
 * @returns ends this
 */
export function keepFocus(): () => void {
  let focused: EventTarget | null = null;
  const ended = new AbortController();
  const { signal } = ended;
  document.addEventListener('focusin', ({ target }) => (focused = target), { signal });
  // A click beside everything takes the focus away on purpose.
  document.addEventListener('pointerdown', () => (focused = null), { signal, capture: true });
  const observer = new MutationObserver(() => {
    if (!(focused instanceof Element) || focused.isConnected || document.activeElement !== document.body) return;
    focused = null;
    focusPage();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => (ended.abort(), observer.disconnect());
}
