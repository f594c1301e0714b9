import type { WebhookDeliveryWithBody } from '../api/types.ts';
import { useResource } from '../api/use-resource.ts';
import { Copy } from '../ui/copy.tsx';
import { Loaded } from '../ui/loaded.tsx';

/** What the receiver of a delivery gets, read when somebody looks at it. */
export function DeliveryBody({ id }: { id: string }) {
  const resource = useResource<WebhookDeliveryWithBody>(`/v1/webhook-deliveries/${id}`);
  return (
    <section class="delivery-part" aria-label="Body">
      <Loaded resource={resource}>
        {({ body }) => (
          <>
            <p class="small delivery-part-head">
              <strong>Body</strong> <Copy what="body" value={body} />
            </p>
            <pre tabIndex={0} aria-label="Body of the event">
              {JSON.stringify(JSON.parse(body), undefined, 2)}
            </pre>
          </>
        )}
      </Loaded>
    </section>
  );
}
