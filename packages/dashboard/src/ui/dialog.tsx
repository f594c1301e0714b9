import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * A modal dialog of the browser, which keeps the focus inside, closes by Escape and restores the focus.
 * Render it while it is open, and remove it at `onClose`.
 */
export function Dialog({
  title,
  isWide = false,
  onClose,
  children,
}: {
  title: string;
  /** For pictures instead of words */
  isWide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    const dialog = ref.current!;
    // If it were removed while it is open, the focus would be lost.
    const before = document.activeElement;
    dialog.showModal();
    return () => {
      dialog.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  return (
    <dialog
      ref={ref}
      class={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
