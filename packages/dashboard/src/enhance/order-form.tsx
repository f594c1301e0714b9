import { useState } from 'preact/hooks';
import { type ParametersRepresentation, creditRange } from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { PresetChoice, SavePreset } from '../presets/preset-choice.tsx';
import type { Settings } from '../presets/presets.ts';
import { Button } from '../ui/button.tsx';
import { Trouble } from '../ui/notice.tsx';
import { orderEnhancement } from '../uploads/actions.ts';
import { TrialButton } from '../trial/trial-button.tsx';
import { ImageForm, TransparencyNotice } from './image-form.tsx';
import { PdfForm } from './pdf-form.tsx';
import { PdfHint } from './pdf-hint.tsx';
import { usePdfPrice } from './pdf-price.ts';
import { changesNothing, imagePrice } from './price.ts';

/** The settings of one more enhancement of an upload, and its price before anything is charged. */
export function OrderForm({
  upload,
  first,
  onOrdered,
  onCancel,
}: {
  upload: Upload;
  first: ParametersRepresentation;
  onOrdered: () => void;
  onCancel?: () => void;
}) {
  const [settings, setSettings] = useState<Settings>({ parameters: first });
  const { parameters } = settings;
  const setParameters = (changed: ParametersRepresentation): void => setSettings({ parameters: changed });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isPdf = upload.mimetype === 'application/pdf';
  const pdfPrice = usePdfPrice(isPdf ? upload.id : undefined, parameters);
  const { min, max } = isPdf ? { min: pdfPrice.minCredits, max: pdfPrice.credits } : imagePrice(parameters);

  const order = (): void => {
    setBusy(true);
    setError(undefined);
    orderEnhancement(upload.id, settings, { maxCredits: isPdf ? (max ?? 0) : undefined })
      .then(onOrdered, setError)
      .finally(() => setBusy(false));
  };

  return (
    <form
      class="order"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) order();
      }}
    >
      <PresetChoice kind={isPdf ? 'pdf' : 'image'} value={settings} onChange={setSettings} />
      {isPdf ? (
        <PdfForm upload={upload} value={parameters} onChange={setParameters} />
      ) : (
        <>
          <ImageForm value={parameters} onChange={setParameters} />
          <TransparencyNotice images={[upload]} value={parameters} />
        </>
      )}
      <SavePreset value={settings} onChange={setSettings} />
      <Trouble error={error ?? pdfPrice.error} />
      <div class="actions">
        <Button
          kind="primary"
          type="submit"
          icon="sparkle"
          busy={busy}
          disabled={isPdf ? max === undefined : changesNothing(parameters)}
        >
          {max === undefined ? 'Enhance' : `Enhance for ${creditRange(min ?? max, max)}`}
        </Button>
        <TrialButton upload={upload} value={parameters} onChange={setParameters} />
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
      </div>
      {isPdf && <PdfHint upload={upload} price={pdfPrice} />}
    </form>
  );
}
