import { useState } from 'preact/hooks';
import { EVENT_KINDS, EVENT_WORDS, type EventKind, type WebhookFormat } from '@burnish/contract';
import { once, post } from '../api/client.ts';
import type { WebhookWithSecret } from '../api/types.ts';
import { Choices } from '../ui/choices.tsx';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useAction } from '../ui/use-action.ts';
import { SecretDialog } from './secret-dialog.tsx';

const MAX_URL_LENGTH = 2048;

const FORMAT_WORDS: Readonly<Record<WebhookFormat, string>> = { BURNISH: 'Burnish', PUBLIC: 'Public service' };

/** Asks for the address and the events, registers the endpoint, and shows its secret once. */
export function CreateWebhook({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventKind[]>(EVENT_KINDS);
  const [format, setFormat] = useState<WebhookFormat>('BURNISH');
  const [made, setMade] = useState<WebhookWithSecret>();
  const form = useAction(async () => {
    // All of them means also those that a later version adds.
    const wanted = events.length === EVENT_KINDS.length ? ['*'] : events;
    const body = { url: url.trim(), events: wanted, format };
    setMade(await post<WebhookWithSecret>('/v1/webhooks', { body, idempotencyKey: once() }));
    onCreated();
  });
  if (made !== undefined) return <SecretDialog title="The endpoint is ready" made={made} onClose={onClose} />;

  return (
    <FormDialog
      title="Add endpoint"
      action="Add endpoint"
      form={form}
      field="url"
      isIncomplete={events.length === 0}
      onClose={onClose}
    >
      {(urlError) => (
        <>
          <Field label="Address" hint="A public https URL." error={urlError}>
            {(tie) => (
              <input
                {...tie}
                type="url"
                required
                maxLength={MAX_URL_LENGTH}
                autocomplete="off"
                placeholder="https://example.com/hooks"
                value={url}
                onInput={(event) => setUrl(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label="Format" hint="The public service's format is for receivers made for that service.">
            {(tie) => (
              <select
                {...tie}
                value={format}
                onChange={(event) => setFormat(event.currentTarget.value as WebhookFormat)}
              >
                {Object.entries(FORMAT_WORDS).map(([value, words]) => (
                  <option key={value} value={value}>
                    {words}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Choices legend="Events" values={EVENT_KINDS} words={EVENT_WORDS} chosen={events} onChange={setEvents} />
        </>
      )}
    </FormDialog>
  );
}
