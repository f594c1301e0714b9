import type { WebhookWithSecret } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Secret } from '../ui/secret.tsx';

/** Shows a secret that was made just now. */
export function SecretDialog({
  title,
  made,
  onClose,
}: {
  title: string;
  made: WebhookWithSecret;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {made.secret === null ? (
        <Notice kind="warning">The secret’s answer was lost. Make a new one with “New secret”.</Notice>
      ) : (
        <>
          <div class="dialog-body">
            Verify with it what arrives, as Standard Webhooks describe it. Copy it now: it is shown this once.
          </div>
          <Secret label="Signing secret" value={made.secret} />
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
