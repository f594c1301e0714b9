import type { ComponentChildren } from 'preact';
import { BurnishError } from '@burnish/client';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Trouble } from './notice.tsx';
import type { useAction } from './use-action.ts';

export function FormDialog({
  title,
  action,
  form: { busy, error, run },
  field,
  isIncomplete = false,
  onClose,
  children,
}: {
  title: string;
  action: string;
  /** Runs at submit */
  form: ReturnType<typeof useAction>;
  /** Name in the API of the field that shows its own errors */
  field: string;
  isIncomplete?: boolean;
  onClose: () => void;
  /** Receives the error that concerns `field` */
  children: (fieldError: string | undefined) => ComponentChildren;
}) {
  const fieldError = error instanceof BurnishError && error.field === field ? error.message : undefined;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        {children(fieldError)}
        {fieldError === undefined && <Trouble error={error} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={isIncomplete}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
