import { useEffect, useMemo, useState } from 'preact/hooks';
import { counted } from '@burnish/contract';
import type { Webhook, WebhookDelivery } from '../api/types.ts';
import type { LongList } from '../api/use-listing.ts';
import { createSelection } from '../gallery/selection.ts';
import { Button } from '../ui/button.tsx';
import { LoadedList } from '../ui/loaded.tsx';
import { Delivery } from './delivery.tsx';
import { DeliveryFilterForm, NO_FILTER, type DeliveryFilter } from './delivery-filter.tsx';
import { RedeliverBar } from './redeliver-bar.tsx';

export const LOG_PAGE = 20;
/** Milliseconds between reads of the log while a delivery is pending. */
const REFRESH_MS = 2000;
/** A delivery that waits longer than this for its next attempt is not waited for. */
const SOON_MS = 20_000;

/** What was sent, newest first. Deliveries that have ended can be selected, and sent again together. */
export function DeliveryLog({
  log,
  endpoints,
  filter,
  onFilter,
}: {
  log: LongList<WebhookDelivery>;
  endpoints: readonly Webhook[];
  filter: DeliveryFilter;
  onFilter: (filter: DeliveryFilter) => void;
}) {
  const { items, reload } = log;
  const selection = useMemo(createSelection, []);
  const [sent, setSent] = useState(0);
  // A refresh reads the first page only, so it stops while a later page is open.
  const isMoving = items !== undefined && items.length <= LOG_PAGE && items.some(isUnderWay);
  const ended = items?.filter(canRepeat).map(({ id }) => id) ?? [];
  const chosen = selection.ids.value;
  const areAllChosen = ended.length > 0 && ended.every((id) => chosen.has(id));

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
      <DeliveryFilterForm
        endpoints={endpoints}
        value={filter}
        onChange={(next) => {
          // Nobody sends again what the filter hides.
          selection.set([]);
          setSent(0);
          onFilter(next);
        }}
      />
      <p role="status" class="hint">
        {sent > 0 && `${counted(sent, 'event')} sent again.`}
      </p>
      <LoadedList
        list={log}
        empty={
          <p class="soft">
            {JSON.stringify(filter) === JSON.stringify(NO_FILTER)
              ? 'No event has been sent yet.'
              : 'No delivery has these properties. Change the filter.'}
          </p>
        }
      >
        {(deliveries) => (
          <>
            {ended.length > 1 && (
              <label class="choice delivery-all">
                <input
                  type="checkbox"
                  checked={areAllChosen}
                  onChange={() => selection.set(areAllChosen ? [] : ended)}
                />
                <span>Select all {ended.length} that are shown and have ended</span>
              </label>
            )}
            <ul class="deliveries">
              {deliveries.map((delivery) => (
                <Delivery
                  key={delivery.id}
                  delivery={delivery}
                  isChosen={chosen.has(delivery.id)}
                  onChoose={
                    canRepeat(delivery)
                      ? (isRange) => (isRange ? selection.extend(delivery.id, ended) : selection.toggle(delivery.id))
                      : undefined
                  }
                  onSent={reload}
                />
              ))}
            </ul>
          </>
        )}
      </LoadedList>
      <RedeliverBar
        selection={selection}
        onSent={(count) => {
          setSent(count);
          reload();
        }}
      />
    </section>
  );
}

/** A pending delivery is sent anyway. */
const canRepeat = ({ status }: WebhookDelivery): boolean => status !== 'PENDING';

function isUnderWay({ status, nextAttemptAt }: WebhookDelivery): boolean {
  return status === 'PENDING' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}
