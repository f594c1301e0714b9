import { useState } from 'preact/hooks';
import type { Listing, Webhook, WebhookDelivery } from '../api/types.ts';
import { useListing } from '../api/use-listing.ts';
import { useResource } from '../api/use-resource.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Trouble } from '../ui/notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Loading } from '../ui/progress.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { DeliveryLog, LOG_PAGE } from './delivery-log.tsx';
import { Endpoint } from './endpoint.tsx';
import './webhooks.css';

const MAX_ENDPOINTS = 5;

export function WebhooksPage() {
  const { data, error, reload } = useResource<Listing<Webhook>>('/v1/webhooks');
  const log = useListing<WebhookDelivery>(`/v1/webhook-deliveries?limit=${LOG_PAGE}`);
  const [isCreating, setCreating] = useState(false);
  const isFull = data !== undefined && data.items.length >= MAX_ENDPOINTS;

  return (
    <>
      <PageHeader title="Webhooks" lead="Burnish sends signed events to these URLs.">
        {!isFull && (
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            Add endpoint
          </Button>
        )}
      </PageHeader>
      <Trouble error={error} retry={reload} />
      {data === undefined ? (
        error === undefined && <Loading />
      ) : data.items.length === 0 ? (
        <section class="section" aria-label="Endpoints">
          <Empty icon="webhook" title="No endpoints yet">
            Add the URL of your program. It receives the events of your uploads and enhancements.
          </Empty>
        </section>
      ) : (
        <section class="section" aria-label="Endpoints">
          <ul class="endpoints">
            {data.items.map((webhook) => (
              <Endpoint key={webhook.id} webhook={webhook} onChanged={reload} onSent={log.reload} />
            ))}
          </ul>
          {isFull && <p class="soft small">An account has at most {MAX_ENDPOINTS} endpoints.</p>}
        </section>
      )}
      <DeliveryLog log={log} />
      {isCreating && <CreateWebhook onCreated={reload} onClose={() => setCreating(false)} />}
    </>
  );
}
