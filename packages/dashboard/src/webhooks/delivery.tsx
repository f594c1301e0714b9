import { useState } from 'preact/hooks';
import { EVENT_WORDS } from '@burnish/contract';
import type { WebhookDelivery } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { formatDuration, formatMoment } from '../ui/format.ts';
import { ExplanationNotice } from '../ui/explanation-notice.tsx';
import { Trouble } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { DeliveryBody } from './delivery-body.tsx';
import { redeliver } from './redeliver.ts';

const STATES = {
  PENDING: { tone: 'busy', words: 'Pending' },
  DELIVERED: { tone: 'good', words: 'Delivered' },
  FAILED: { tone: 'bad', words: 'Failed' },
} as const;

/** One delivery: its event, record and outcome in a line; its body and its attempts, once it is opened. */
export function Delivery({
  delivery,
  isChosen,
  onChoose,
  onSent,
}: {
  delivery: WebhookDelivery;
  isChosen: boolean;
  /** Selects it, with Shift all up to it; undefined while it cannot be sent again */
  onChoose: ((isRange: boolean) => void) | undefined;
  onSent: () => void;
}) {
  const { id, event, url, status, attempts, nextAttemptAt, redeliveryOf, createdAt } = delivery;
  const [isOpen, setOpen] = useState(false);
  const again = useAction(async () => {
    await redeliver(id);
    onSent();
  });
  const { tone, words } = STATES[status];
  const last = attempts.at(-1);

  return (
    <li class="delivery-row">
      <label class="delivery-choice">
        <input
          type="checkbox"
          aria-label={`Select ${event} of ${formatMoment(createdAt)}`}
          checked={isChosen}
          disabled={onChoose === undefined}
          onClick={(click) => onChoose?.(click.shiftKey)}
        />
      </label>
      <details class="delivery" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="delivery-state">
            <Badge tone={tone}>{words}</Badge>
          </span>
          <span class="delivery-event">
            <code>{event}</code>
            <span class="soft small">
              {delivery.filename ?? delivery.recordId ?? 'The account'} · {new URL(url).host}
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
          <p class="small">
            <RecordLink delivery={delivery} />
          </p>
          <ExplanationNotice record={delivery} isWaiting={status === 'PENDING'} />
          {isOpen && <DeliveryBody id={id} />}
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

/** The record of the event, by the name of its file where it has one. */
function RecordLink({ delivery: { recordId, uploadId, filename } }: { delivery: WebhookDelivery }) {
  if (uploadId !== null) {
    return (
      <>
        <a href={`/uploads/${uploadId}`}>{filename ?? uploadId}</a> <code>{recordId}</code>
      </>
    );
  }
  if (recordId === null) return <>It is about the account.</>;
  return recordId.startsWith('bat_') ? <a href={`/batches/${recordId}`}>{recordId}</a> : <code>{recordId}</code>;
}
