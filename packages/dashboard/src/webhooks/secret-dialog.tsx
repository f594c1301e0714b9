import type { WebhookWithSecret } from '../api/types.ts';
import { ShownOnce } from '../ui/shown-once.tsx';

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
      lost="The response with the secret was lost. Create another one with “New secret”."
      onClose={onClose}
    >
      Your receiver verifies deliveries with the signing secret, as in Standard Webhooks. Copy it now: it is shown only
      once.
    </ShownOnce>
  );
}
