import { useState } from 'preact/hooks';
import { once, post, remove } from '../api/client.ts';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../api/types.ts';
import { EVENT_KINDS } from '../../domain/events/events.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { formatDay } from '../ui/format.ts';
import { Notice, Trouble } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { SecretDialog } from './secret-dialog.tsx';

/** One address, and what can be done about it. */
export function Endpoint({
  webhook: { id, url, events, createdAt, disabledAt },
  onChanged,
  onSent,
}: {
  webhook: Webhook;
  onChanged: () => void;
  /** Something is on its way to it */
  onSent: () => void;
}) {
  const [open, setOpen] = useState<'rotate' | 'remove' | WebhookWithSecret>();
  const [wasTested, setTested] = useState(false);
  const test = useAction(async () => {
    setTested(false);
    await post<WebhookDelivery>(`/v1/webhooks/${id}/test`, { idempotencyKey: once() });
    setTested(true);
    onSent();
  });
  const close = (): void => setOpen(undefined);

  return (
    <li class="card">
      <div class="card-head">
        <h2 class="endpoint-url">{url}</h2>
        <Badge tone={disabledAt === null ? 'good' : 'bad'}>{disabledAt === null ? 'Active' : 'Disabled'}</Badge>
      </div>
      {disabledAt !== null && (
        <Notice kind="warning">
          The receiver said that it is gone (410) on {formatDay(disabledAt)}, so nothing is sent to it. Remove it and
          add it again once it is back.
        </Notice>
      )}
      <p class="soft small">
        {events.length === EVENT_KINDS.length ? 'All events' : events.join(', ')} · since {formatDay(createdAt)}
      </p>
      <div class="actions endpoint-actions">
        {disabledAt === null && (
          <Button icon="send" busy={test.busy} onClick={() => test.run()}>
            Send test event
          </Button>
        )}
        <Button icon="refresh" onClick={() => setOpen('rotate')}>
          New secret
        </Button>
        <Button kind="quiet" icon="trash" onClick={() => setOpen('remove')}>
          Remove
        </Button>
      </div>
      <div role="status">{wasTested && <p class="hint">The test event is on its way; see the log below.</p>}</div>
      <Trouble error={test.error} />

      {open === 'rotate' && (
        <Confirm
          title="Make a new secret?"
          action="Make new secret"
          work={async () => setOpen(await post<WebhookWithSecret>(`/v1/webhooks/${id}/rotate-secret`))}
          // Once it is made its own dialog takes the place of this one.
          onClose={() => setOpen((now) => (now === 'rotate' ? undefined : now))}
        >
          <p>For 24 hours what is sent carries two signatures, by the new secret and by the old one.</p>
        </Confirm>
      )}
      {open === 'remove' && (
        <Confirm
          title="Remove this endpoint?"
          action="Remove endpoint"
          work={async () => {
            await remove(`/v1/webhooks/${id}`);
            onChanged();
          }}
          onClose={close}
        >
          <p>{url}</p>
          <p>Nothing more is sent to it. The log of what was sent stays.</p>
        </Confirm>
      )}
      {typeof open === 'object' && <SecretDialog title="The new secret" made={open} onClose={close} />}
    </li>
  );
}
