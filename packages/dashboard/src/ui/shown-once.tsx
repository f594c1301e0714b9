import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Notice } from './notice.tsx';
import { Secret } from './secret.tsx';

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
