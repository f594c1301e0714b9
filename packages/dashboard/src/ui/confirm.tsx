import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Trouble } from './notice.tsx';
import { useAction } from './use-action.ts';

/** Asks before a deletion or another change, runs it, and shows its failure. */
export function Confirm({
  title,
  action,
  kind = 'danger',
  work,
  onClose,
  children,
}: {
  title: string;
  action: string;
  kind?: 'danger' | 'primary';
  work: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const { busy, error, run } = useAction(async () => {
    await work();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-body">{children}</div>
      <Trouble error={error} />
      <div class="dialog-actions">
        <Button onClick={onClose} autofocus>
          Cancel
        </Button>
        <Button kind={kind} busy={busy} onClick={run}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
