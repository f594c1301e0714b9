import { useState } from 'preact/hooks';
import { counted, EVENT_KINDS, type Subscription } from '@burnish/contract';
import { once, patch, post, remove } from '../api/client.ts';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Copy } from '../ui/copy.tsx';
import { formatDay } from '../ui/format.ts';
import { Notice, Trouble } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { SecretDialog } from './secret-dialog.tsx';

/** Failed events of this time are sent again, milliseconds. */
const REPEATED_MS = 30 * 24 * 3_600_000;

interface Redelivered {
  deliveryIds: string[];
  more: boolean;
}

const DISABLED_WORDS = {
  gone: 'Disabled because the receiver answered 410 (gone)',
  failing: 'Disabled because all attempts failed for five days',
  request: 'Disabled on request',
} as const;

const isAll = (events: readonly Subscription[]): boolean =>
  events.includes('*') || events.length === EVENT_KINDS.length;

export function Endpoint({
  webhook: { id, url, events, format, createdAt, disabledAt, disabledReason, failingSince },
  onChanged,
  onSent,
}: {
  webhook: Webhook;
  onChanged: () => void;
  onSent: () => void;
}) {
  const [open, setOpen] = useState<'rotate' | 'remove' | WebhookWithSecret>();
  const [wasTested, setTested] = useState(false);
  const [repeated, setRepeated] = useState<string>();
  const test = useAction(async () => {
    setTested(false);
    await post<WebhookDelivery>(`/v1/webhooks/${id}/test`, { idempotencyKey: once() });
    setTested(true);
    onSent();
  });
  const enable = useAction(async (enabled: boolean) => {
    await patch<Webhook>(`/v1/webhooks/${id}`, { body: { enabled } });
    onChanged();
  });
  const repeat = useAction(async () => {
    const since = new Date(Date.now() - REPEATED_MS).toISOString();
    const { deliveryIds, more } = await post<Redelivered>(`/v1/webhooks/${id}/redeliver-failed`, { body: { since } });
    setRepeated(
      `${counted(deliveryIds.length, 'event')} sent again${more ? '. More failed events remain: send again.' : '.'}`,
    );
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
          {DISABLED_WORDS[disabledReason ?? 'gone']} on {formatDay(disabledAt)}. It receives no events until you enable
          it.
        </Notice>
      )}
      {disabledAt === null && failingSince !== null && (
        <Notice kind="warning">
          All attempts fail since {formatDay(failingSince)}. After five days the endpoint is disabled.
        </Notice>
      )}
      <p class="soft small">
        {isAll(events) ? 'All events' : events.join(', ')}
        {format === 'PUBLIC' && ' · format of the public service'} · since {formatDay(createdAt)}
      </p>
      <div class="actions endpoint-actions">
        {disabledAt === null && (
          <>
            <Button icon="send" busy={test.busy} onClick={() => test.run()}>
              Send test event
            </Button>
            <Button icon="refresh" busy={repeat.busy} onClick={() => repeat.run()}>
              Send failed events again
            </Button>
          </>
        )}
        <Button busy={enable.busy} onClick={() => enable.run(disabledAt !== null)}>
          {disabledAt === null ? 'Disable' : 'Enable'}
        </Button>
        <Button icon="refresh" onClick={() => setOpen('rotate')}>
          New secret
        </Button>
        <Copy what="id" value={id} />
        <Copy what="URL" value={url} />
        <Button kind="quiet" icon="trash" onClick={() => setOpen('remove')}>
          Remove
        </Button>
      </div>
      <div role="status">{wasTested && <p class="hint">The test event is being sent. See the log below.</p>}</div>
      <div role="status">{repeated !== undefined && <p class="hint">{repeated}</p>}</div>
      <Trouble error={test.error ?? enable.error ?? repeat.error} />

      {open === 'rotate' && (
        <Confirm
          title="Replace the secret?"
          action="Replace secret"
          work={async () => setOpen(await post<WebhookWithSecret>(`/v1/webhooks/${id}/rotate-secret`))}
          // The dialog with the new secret replaces this one.
          onClose={() => setOpen((now) => (now === 'rotate' ? undefined : now))}
        >
          <p>For 24 hours, deliveries have signatures of both secrets.</p>
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
          <p>It receives no more events. Its delivery log remains.</p>
        </Confirm>
      )}
      {typeof open === 'object' && <SecretDialog title="The new secret" made={open} onClose={close} />}
    </li>
  );
}
