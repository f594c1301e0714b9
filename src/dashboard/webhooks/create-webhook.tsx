import { useState } from 'preact/hooks';
import { ApiError } from '../api/api-error.ts';
import { once, post } from '../api/client.ts';
import type { WebhookWithSecret } from '../api/types.ts';
import { EVENT_KINDS, EVENT_WORDS, type EventKind } from '../../domain/events/events.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Trouble } from '../ui/notice.tsx';
import { useAction } from '../ui/use-action.ts';
import { SecretDialog } from './secret-dialog.tsx';

const MAX_URL_LENGTH = 2048;

/** Asks where and of what to tell, registers the endpoint, and shows its secret this once. */
export function CreateWebhook({ onCreated, onClose }: { onCreated: () => void; onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventKind[]>(EVENT_KINDS);
  const [made, setMade] = useState<WebhookWithSecret>();
  const { busy, error, run } = useAction(async () => {
    setMade(
      await post<WebhookWithSecret>('/v1/webhooks', { body: { url: url.trim(), events }, idempotencyKey: once() }),
    );
    onCreated();
  });
  if (made !== undefined) return <SecretDialog title="The endpoint is ready" made={made} onClose={onClose} />;

  const isField = error instanceof ApiError && error.field === 'url';
  const toggle = (kind: EventKind): void =>
    setEvents(EVENT_KINDS.filter((each) => (each === kind ? !events.includes(kind) : events.includes(each))));
  return (
    <Dialog title="Add endpoint" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Field
          label="Address"
          hint="An https address that the internet can reach."
          error={isField ? error.message : undefined}
        >
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
        <fieldset>
          <legend>Events</legend>
          {EVENT_KINDS.map((kind) => (
            <label key={kind} class="choice">
              <input type="checkbox" checked={events.includes(kind)} onChange={() => toggle(kind)} />
              <span>
                {EVENT_WORDS[kind]}
                <small>
                  <code>{kind}</code>
                </small>
              </span>
            </label>
          ))}
        </fieldset>
        {!isField && <Trouble error={error} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={events.length === 0}>
            Add endpoint
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
