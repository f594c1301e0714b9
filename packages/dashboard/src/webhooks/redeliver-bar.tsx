import { useState } from 'preact/hooks';
import type { Selection } from '../gallery/selection.ts';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/notice.tsx';
import { redeliverMany } from './redeliver.ts';
import '../ui/bottom-bar.css';

/** Sends the selected deliveries again. It stays in view while the log scrolls. */
export function RedeliverBar({
  selection,
  onSent,
}: {
  selection: Selection;
  /** Receives the number of events that are sent again */
  onSent: (count: number) => void;
}) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const chosen = [...selection.ids.value];
  if (chosen.length === 0) return null;
  const send = async (): Promise<void> => {
    setBusy(true);
    const outcome = await redeliverMany(chosen);
    setBusy(false);
    setError(outcome.error);
    // Those that were refused stay selected.
    selection.set(chosen.filter((id) => !outcome.sent.includes(id)));
    onSent(outcome.sent.length);
  };
  return (
    <section class="bottom-bar redeliver-bar" aria-label="Selection">
      <Trouble error={error} />
      <p role="status">
        <strong>{chosen.length} selected</strong>
      </p>
      <div class="actions">
        <Button onClick={() => selection.set([])}>Clear</Button>
        <Button kind="primary" icon="send" busy={busy} onClick={() => void send()}>
          Send again
        </Button>
      </div>
    </section>
  );
}
