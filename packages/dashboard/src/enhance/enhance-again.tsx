import { useState } from 'preact/hooks';
import type { UploadWithEnhancements } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { uploadState } from '../uploads/words.ts';
import { OrderForm } from './order-form.tsx';
import { firstPdfOrder } from './pdf-form.tsx';
import './enhance.css';

export function EnhanceAgain({ upload, onOrdered }: { upload: UploadWithEnhancements; onOrdered: () => void }) {
  const [isOpen, setOpen] = useState(false);
  if (uploadState(upload).tone !== 'good') return null;
  const last = upload.enhancements.at(-1);
  const label = last === undefined ? 'Enhance' : 'Enhance again';
  if (!isOpen) {
    return (
      <div class="actions">
        <Button kind={last === undefined ? 'primary' : 'plain'} icon="sparkle" onClick={() => setOpen(true)}>
          {label}
        </Button>
      </div>
    );
  }
  return (
    <section class="card settings-card" aria-label="Settings">
      <h2 tabIndex={-1} ref={focusOnce}>
        {label}
      </h2>
      <OrderForm
        upload={upload}
        first={last?.parameters ?? firstPdfOrder(upload)}
        onOrdered={() => {
          setOpen(false);
          onOrdered();
        }}
        onCancel={() => setOpen(false)}
      />
    </section>
  );
}

/** The form replaces the focused button. Preact calls this once, since it stays the same function. */
const focusOnce = (heading: HTMLElement | null): void => heading?.focus({ preventScroll: true });
