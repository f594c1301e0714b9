import type { WebhookWithSecret } from '../api/types.ts';
import { ShownOnce } from '../ui/shown-once.tsx';

/** Shows a new secret. */
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
    <ShownOnce
      title={title}
      label="Signing secret"
      value={made.secret}
      lost="The secret’s answer was lost. Make a new one with “New secret”."
      onClose={onClose}
    >
      Verify with it what arrives, as Standard Webhooks describe it. Copy it now: it is shown this once.
    </ShownOnce>
  );
}
