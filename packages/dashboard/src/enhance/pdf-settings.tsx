import { useState } from 'preact/hooks';
import { creditRange } from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { PresetChoice, SavePreset } from '../presets/preset-choice.tsx';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/notice.tsx';
import { TrialButton } from '../trial/trial-button.tsx';
import { summarizeParameters } from '../uploads/words.ts';
import { jobs } from './jobs.ts';
import { draftedPdfs, orderAll } from './order.ts';
import { copySettings, type PdfDraft } from './pdf-draft.ts';
import { PdfForm } from './pdf-form.tsx';
import { PdfHint } from './pdf-hint.tsx';
import type { PdfPrice } from './pdf-price.ts';

/** The settings of one PDF of the order, with its price. They are folded beside other files, whose cards would be far away. */
export function PdfSettings({ upload, draft }: { upload: Upload; draft: PdfDraft }) {
  const others = draftedPdfs.value.map((pdf) => pdf.draft).filter((each) => each !== draft);
  const [isOpen, setOpen] = useState(jobs.value.length === 1);
  const { value: settings } = draft.settings;
  const { value: price } = draft.price;
  return (
    <details
      class="pdf-settings"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      // At once, because the browser shows its words about a wrong value only beside a visible field.
      onInvalidCapture={({ currentTarget }) => void (currentTarget.open = true)}
    >
      <summary>
        <span>{summarizeParameters(settings.parameters, 'pdf')}</span>
        <strong>{priceWords(price)}</strong>
      </summary>
      <form
        class="order pdf-order"
        aria-label={`Settings for ${upload.originalFilename}`}
        onSubmit={(event) => {
          event.preventDefault();
          orderAll();
        }}
      >
        <PresetChoice kind="pdf" value={settings} onChange={draft.change} />
        <PdfForm upload={upload} value={settings.parameters} onChange={(parameters) => draft.change({ parameters })} />
        <SavePreset value={settings} onChange={draft.change} />
        <TrialButton
          upload={upload}
          value={settings.parameters}
          onChange={(parameters) => draft.change({ parameters })}
        />
        {others.length > 0 && (
          <Button icon="copy" onClick={() => copySettings(draft, others)}>
            Use for all PDFs
          </Button>
        )}
      </form>
      <Trouble error={price.error} />
      <PdfHint upload={upload} price={price} />
    </details>
  );
}

const priceWords = ({ error, credits, minCredits = credits }: PdfPrice): string => {
  if (error !== undefined) return 'No price';
  return credits === undefined ? 'Asking for the price …' : creditRange(minCredits!, credits);
};
