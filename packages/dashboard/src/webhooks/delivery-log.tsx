import { useEffect } from 'preact/hooks';
import type { WebhookDelivery } from '../api/types.ts';
import type { LongList } from '../api/use-listing.ts';
import { Button } from '../ui/button.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { Delivery } from './delivery.tsx';

export const LOG_PAGE = 20;
/** Milliseconds between reads of the log while a delivery is pending. */
const REFRESH_MS = 2000;
/** A delivery that waits longer than this for its next attempt is not waited for. */
const SOON_MS = 20_000;

/** What was sent, newest first. */
export function DeliveryLog({ log }: { log: LongList<WebhookDelivery> }) {
  const { items, reload } = log;
  // A refresh reads the first page only, so it stops while a later page is open.
  const isMoving = items !== undefined && items.length <= LOG_PAGE && items.some(isUnderWay);

  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isMoving, reload]);

  return (
    <section class="section" aria-labelledby="log">
      <div class="card-head">
        <h2 id="log">Delivery log</h2>
        <Button kind="quiet" icon="refresh" onClick={reload}>
          Refresh
        </Button>
      </div>
      <LoadedList list={log} empty={<p class="soft">No event has been sent yet.</p>}>
        {(deliveries) => (
          <ul class="deliveries">
            {deliveries.map((delivery) => (
              <Delivery key={delivery.id} delivery={delivery} onSent={reload} />
            ))}
          </ul>
        )}
      </LoadedList>
    </section>
  );
}

function isUnderWay({ status, nextAttemptAt }: WebhookDelivery): boolean {
  return status === 'PENDING' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}
