import { EVENT_WORDS } from '@burnish/contract';
import { once, post } from '../api/client.ts';
import type { WebhookDelivery } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { formatDuration } from '../ui/format.ts';
import { Trouble } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';

const STATES = {
  PENDING: { tone: 'busy', words: 'Pending' },
  DELIVERED: { tone: 'good', words: 'Delivered' },
  FAILED: { tone: 'bad', words: 'Failed' },
} as const;

export function Delivery({ delivery, onSent }: { delivery: WebhookDelivery; onSent: () => void }) {
  const { id, event, url, status, attempts, nextAttemptAt, redeliveryOf, createdAt } = delivery;
  const again = useAction(async () => {
    await post<WebhookDelivery>(`/v1/webhook-deliveries/${id}/redeliver`, { idempotencyKey: once() });
    onSent();
  });
  const { tone, words } = STATES[status];
  const last = attempts.at(-1);

  return (
    <li>
      <details class="delivery">
        <summary>
          <span class="delivery-state">
            <Badge tone={tone}>{words}</Badge>
          </span>
          <span class="delivery-event">
            <code>{event}</code>
            <span class="soft small">
              {new URL(url).host}
              {redeliveryOf !== null && ', sent again'}
            </span>
          </span>
          <span class="soft small delivery-facts">
            {last !== undefined && (
              <>
                {last.httpStatus ?? 'No answer'} · {formatDuration(last.latencyMs)} ·{' '}
              </>
            )}
            <Time at={createdAt} />
          </span>
        </summary>
        <div class="delivery-body">
          <p class="small">
            {EVENT_WORDS[event]}. Sent to <code>{url}</code>
          </p>
          {attempts.length === 0 && <p class="soft small">The first attempt is pending.</p>}
          <ol class="attempts">
            {attempts.map(({ number, at, httpStatus, latencyMs, answer }) => (
              <li key={number}>
                <p class="small">
                  <strong>Attempt {number}</strong> · {httpStatus ?? 'no answer'} · {formatDuration(latencyMs)} ·{' '}
                  <Time at={at} exact />
                </p>
                {answer === '' ? (
                  <p class="soft small">The response was empty.</p>
                ) : (
                  <pre tabIndex={0} aria-label={`Response to attempt ${number}`}>
                    {answer}
                  </pre>
                )}
              </li>
            ))}
          </ol>
          {nextAttemptAt !== null && attempts.length > 0 && (
            <p class="soft small">
              Next attempt <Time at={nextAttemptAt} />.
            </p>
          )}
          <Button icon="send" busy={again.busy} onClick={() => again.run()}>
            Send again
          </Button>
          <Trouble error={again.error} />
        </div>
      </details>
    </li>
  );
}
