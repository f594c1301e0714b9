import { useState } from 'preact/hooks';
import type { Listing, Webhook, WebhookDelivery } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { logPath, NO_FILTER } from './delivery-filter.tsx';
import { DeliveryLog, LOG_PAGE } from './delivery-log.tsx';
import { Endpoint } from './endpoint.tsx';
import './webhooks.css';

const MAX_ENDPOINTS = 5;

export function WebhooksPage() {
  const webhooks = useResource<Listing<Webhook>>('/v1/webhooks');
  const [filter, setFilter] = useState(NO_FILTER);
  const log = useListing<WebhookDelivery>(logPath(filter, LOG_PAGE));
  const [isCreating, setCreating] = useState(false);
  const isFull = (webhooks.data?.items.length ?? 0) >= MAX_ENDPOINTS;

  return (
    <>
      <PageHeader title="Webhooks" lead="Burnish sends signed events to these URLs.">
        {!isFull && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Add endpoint
          </Button>
        )}
      </PageHeader>
      <Loaded resource={webhooks}>
        {({ items }) => (
          <section class="section" aria-label="Endpoints">
            {items.length === 0 ? (
              <Empty icon="webhook" title="No endpoints yet">
                Add the URL of your program. It receives the events of your uploads and enhancements.
              </Empty>
            ) : (
              <ul class="endpoints">
                {items.map((webhook) => (
                  <Endpoint key={webhook.id} webhook={webhook} onChanged={webhooks.reload} onSent={log.reload} />
                ))}
              </ul>
            )}
            {isFull && <p class="soft small">An account has at most {MAX_ENDPOINTS} endpoints.</p>}
          </section>
        )}
      </Loaded>
      <DeliveryLog log={log} endpoints={webhooks.data?.items ?? []} filter={filter} onFilter={setFilter} />
      {isCreating && <CreateWebhook onCreated={webhooks.reload} onClose={() => setCreating(false)} />}
    </>
  );
}
