import { EVENT_WORDS, SENT_EVENT_KINDS } from '@burnish/contract';
import type { Webhook, WebhookDelivery } from '../api/types.ts';
import { Segments } from '../enhance/segments.tsx';
import { Field } from '../ui/field.tsx';

/** Which deliveries the log shows; an empty text shows all. */
export interface DeliveryFilter {
  status: WebhookDelivery['status'] | '';
  event: WebhookDelivery['event'] | '';
  webhookId: string;
  uploadId: string;
}

export const NO_FILTER: DeliveryFilter = { status: '', event: '', webhookId: '', uploadId: '' };

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'PENDING', label: 'Pending' },
  { value: 'DELIVERED', label: 'Delivered' },
] as const;

const UPLOAD_ID = 'upl_[0-9a-z]{26}';

/** The path of the log with this filter. */
export function logPath(filter: DeliveryFilter, limit: number): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return `/v1/webhook-deliveries?${new URLSearchParams([['limit', String(limit)], ...given]).toString()}`;
}

export function DeliveryFilterForm({
  endpoints,
  value,
  onChange,
}: {
  endpoints: readonly Webhook[];
  value: DeliveryFilter;
  onChange: (value: DeliveryFilter) => void;
}) {
  return (
    <form class="delivery-filter" aria-label="Filter of the log" onSubmit={(event) => event.preventDefault()}>
      <Segments
        label="State"
        options={STATUSES}
        value={value.status}
        onChange={(status) => onChange({ ...value, status })}
      />
      <Field label="Event">
        {(tie) => (
          <select
            {...tie}
            value={value.event}
            onChange={({ currentTarget }) =>
              onChange({ ...value, event: currentTarget.value as DeliveryFilter['event'] })
            }
          >
            <option value="">All events</option>
            {SENT_EVENT_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {EVENT_WORDS[kind]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {endpoints.length > 1 && (
        <Field label="Endpoint">
          {(tie) => (
            <select
              {...tie}
              value={value.webhookId}
              onChange={({ currentTarget }) => onChange({ ...value, webhookId: currentTarget.value })}
            >
              <option value="">All endpoints</option>
              {endpoints.map(({ id, url }) => (
                <option key={id} value={id}>
                  {url}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <Field label="Upload">
        {(tie) => (
          <input
            {...tie}
            type="search"
            placeholder="upl_…"
            pattern={UPLOAD_ID}
            title="The id of an upload starts with upl_."
            autocomplete="off"
            spellcheck={false}
            defaultValue={value.uploadId}
            onInput={({ currentTarget }) => {
              const uploadId = currentTarget.value.trim();
              if (uploadId === '' || new RegExp(`^${UPLOAD_ID}$`).test(uploadId)) onChange({ ...value, uploadId });
            }}
          />
        )}
      </Field>
    </form>
  );
}
