import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import { useRef, useState } from 'preact/hooks';

/** Shows a new secret that cannot be read again. */
export function ShownOnce({
  title,
  label,
  value,
  lost,
  onClose,
  children,
}: {
  title: string;
  label: string;
  /** Null if the answer with the secret was lost */
  value: string | null;
  lost: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {value === null ? (
        <Notice kind="warning">{lost}</Notice>
      ) : (
        <>
          <div class="dialog-body">{children}</div>
          <Secret label={label} value={value} />
        </>
      )}
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}

/** A text that is shown this once, to be copied. @param label what it is, for readers of the page and above the text */
function Secret({ label, value }: { label: string; value: string }) {
  const text = useRef<HTMLElement>(null);
  const [said, setSaid] = useState('');

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setSaid('Copied.');
    } catch {
      // Without https or localhost there is no clipboard: the text is selected, so that the keyboard can copy it.
      getSelection()?.selectAllChildren(text.current!);
      setSaid('Selected. Press Ctrl+C or Command+C to copy it.');
    }
  };

  return (
    <div class="secret" role="group" aria-label={label}>
      <span class="secret-label">{label}</span>
      <div class="secret-row">
        <code ref={text} tabIndex={0}>
          {value}
        </code>
        <Button icon={said === 'Copied.' ? 'check' : 'copy'} onClick={() => void copy()}>
          Copy
        </Button>
      </div>
      <p class="hint" role="status">
        {said}
      </p>
    </div>
  );
}
